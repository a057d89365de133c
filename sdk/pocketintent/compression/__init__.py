"""Compression: pruning, quantisation, combination, the size report, the sweep.

Imports the runtime.
"""
