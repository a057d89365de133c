"""Multi-resolution embeddings: mixtures of a model's layers, and ensembles of mixtures.

Imports ``training.teachers``, ``training.vectors`` and ``training.corpora``.
"""
