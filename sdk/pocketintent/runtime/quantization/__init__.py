"""Vectors as codes: fitting codebooks, encoding, decoding, packing, similarity tables.

Imports NumPy, ``runtime.arrays`` and ``runtime.errors``.
"""
