"""The kind ``convrr``: an adapter that moves the vectors of another encoder.

Imports the contract and the registry; the limits of tokens and windows are those of ``contextual``.
"""
