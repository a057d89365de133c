"""The kind ``contextual``: a table of word vectors, changed by their neighbours and then summed.

Imports the kind ``static`` and ``encoders.sequence``.
"""
