"""Text as the runtime reads it: tokenizer, vocabulary, n-gram hashes, characters, typing errors.

The portable specifications; language tags and negations. Imports NumPy, ``runtime.arrays`` and
``runtime.errors``.
"""
