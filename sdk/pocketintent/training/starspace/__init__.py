"""StarSpace: word, sentence and label embeddings learnt by ranking.

Imports ``training.loop`` and ``training.corpora``.
"""
