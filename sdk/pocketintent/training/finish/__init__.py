"""Finishing trained word vectors: weights by frequency, and dimensions made of n-grams.

Imports the runtime.
"""
