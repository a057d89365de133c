"""Retrieval of documents by questions: data, lexical and embedding systems, recall, t-SNE.

Imports ``training.multires`` and ``training.convrr``, and scikit-learn where used.
"""
