"""The kind ``combined``: a table of word vectors, and a character network for unknown words.

Imports the kinds ``static`` and ``charemb``.
"""
