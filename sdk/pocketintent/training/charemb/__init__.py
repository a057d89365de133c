"""CharEmb: a character network trained to reconstruct a table of vectors.

Imports ``training.loop``, ``training.corpora``, ``training.teachers`` and compression.
"""
