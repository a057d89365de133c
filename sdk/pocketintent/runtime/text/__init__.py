"""Text as the runtime reads it: tokenizer, vocabulary, n-gram hashes, characters, typing errors.

The portable specifications. Imports NumPy and ``runtime.errors``.
"""
