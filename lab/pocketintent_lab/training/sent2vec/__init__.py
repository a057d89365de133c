"""Sent2Vec: word vectors whose mean predicts each word of a sentence from all the others.

Imports ``training.loop``, ``training.corpora`` and ``training.vectors``.
"""
