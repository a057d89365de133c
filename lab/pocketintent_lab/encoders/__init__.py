"""Encoder kinds that no shipped model has: ConvRR and InferSent, in NumPy.

Imports the runtime.
"""
