"""The public data sets: catalogue, download and conversion.

Imports the standard library and ``runtime.errors``.
"""
