"""The LSTM and the GRU of a character network as torch modules, one for each file format.

Imports the runtime, ``layers`` and ``writers.loops``.
"""
