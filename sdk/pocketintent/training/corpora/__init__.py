"""Corpora: reading texts, splitting sentences, tokenising, counting words, word ids on disk.

Imports the runtime and ``training.loop``, and NLTK where it is used.
"""
