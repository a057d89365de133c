"""The LSTM and the GRU as torch modules, one for each file format.

Imports the runtime, ``layers`` and ``writers.loops``.
"""
