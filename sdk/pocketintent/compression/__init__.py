"""Compression: pruning, quantisation, combination, the size report; what it does by encoder kind.

Imports the runtime.
"""
