"""Similarity of texts against human scores: STS, tables of pairs, comparison of encoders.

Imports the runtime, ``training.vectors`` and ``training.terms``.
"""
