"""GloVe: word vectors fitted to the logarithms of co-occurrence counts.

Imports ``training.loop``, ``training.corpora`` and ``training.vectors``.
"""
