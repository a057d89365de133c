"""StarSpace: word, sentence and label embeddings learnt by ranking.

Imports ``training.loop``, ``training.corpora`` and ``training.vectors``.
"""
