"""Corpora: reading texts, sentences, tokens, counts of words, typing errors, word ids on disk.

Imports the runtime and ``training.loop``, and NLTK where it is used.
"""
