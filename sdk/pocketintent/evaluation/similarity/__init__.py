"""Similarity of texts against human scores: STS, tables of pairs, encoders side by side.

Imports the runtime, ``training.vectors`` and ``training.terms``.
"""
