"""The kind ``convrr``: an adapter that moves the vectors of another encoder.

Imports the contract and the registry; the limit of tokens is that of the kind ``contextual``.
"""
