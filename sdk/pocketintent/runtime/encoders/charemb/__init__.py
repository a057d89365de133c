"""The kind ``charemb``: a network that reads the characters of a text.

Imports the contract of encoders, ``encoders.recurrent``, ``runtime.text`` and
``runtime.quantization``.
"""
