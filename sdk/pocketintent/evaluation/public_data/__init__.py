"""The public data sets: where they live, downloading them, and converting them.

Imports the standard library and ``runtime.errors``.
"""
