"""From a text to its sentence vector: the contract, the registry and the encoder kinds.

Imports ``runtime.files``, ``runtime.quantization`` and ``runtime.text``.
"""
