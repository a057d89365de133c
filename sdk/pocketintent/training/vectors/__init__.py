"""Files of word vectors, of other programs and own models: reading, writing, conversion.

Imports the runtime and ``training.corpora``.
"""
