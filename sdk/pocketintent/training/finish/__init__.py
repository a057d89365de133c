"""Finishing trained word vectors: sentence vectors by a pooling, and n-gram dimensions.

Imports ``training.corpora`` and the runtime.
"""
