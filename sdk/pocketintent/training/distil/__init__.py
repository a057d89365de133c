"""Distillation: word vectors whose sums approach the vectors of a sentence encoder.

Imports ``training.loop``, ``training.corpora``, ``training.vectors`` and ``training.teachers``.
"""
