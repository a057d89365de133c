"""Exported graphs in Python: their inputs, the exported folder, and the backends that run them.

Imports ``runtime.quantization``, ``runtime.templates`` and ``runtime.text``; the package of a
backend only when it is used.
"""
