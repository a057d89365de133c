"""Finishing trained word vectors: weights by frequency, and dimensions made from n-grams.

Imports the runtime.
"""
