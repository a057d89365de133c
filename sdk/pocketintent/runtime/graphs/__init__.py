"""Exported graphs in Python: their inputs, the exported folder, and the backends.

Imports the runtime's text, templates and quantization; a backend's package when used.
"""
