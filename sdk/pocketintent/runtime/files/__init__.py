"""Files: the model file, the models that ship with the package, and atomic writing.

Imports ``runtime.errors``.
"""
