"""Making a model small: pruning, quantisation, combination, the size report, the sweep.

Imports the runtime.
"""
