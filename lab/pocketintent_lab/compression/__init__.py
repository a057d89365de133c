"""Compression over many settings, and of the laboratory's kinds.

Imports the compression of the product.
"""
