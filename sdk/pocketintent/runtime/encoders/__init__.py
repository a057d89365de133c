"""From a text to its sentence vector: the contract, the registry, and the encoder kinds.

Imports ``runtime.graphs`` for what a kind's graphs take, and what lies below it.
"""
