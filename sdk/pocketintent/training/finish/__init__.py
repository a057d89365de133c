"""Finishing trained word vectors: sentence vectors by a pooling, and n-gram dimensions.

Imports the runtime.
"""
