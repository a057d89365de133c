"""From a sentence vector to the best intents: the index of the templates, and the scoring.

Imports the contract of encoders, ``runtime.templates`` and ``runtime.quantization``.
"""
