"""Corpora: reading texts, counting words, the ``tweet`` tokenizer, sentences, word ids on disk.

Imports the runtime, and NLTK where it is used.
"""
