"""Corpora: reading texts and tables, sentences, tokens, counts of words, word ids on disk.

Imports the runtime and ``training.loop``, and NLTK where it is used.
"""
