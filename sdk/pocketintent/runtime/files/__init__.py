"""Files: the model file, the models that ship with the package, reading and atomic writing.

Imports ``runtime.arrays`` and ``runtime.errors``.
"""
