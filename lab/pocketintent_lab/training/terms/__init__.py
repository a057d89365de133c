"""Terms of several words: extraction from a corpus, files of terms, joining them in tokens.

Imports the runtime and ``training.corpora``.
"""
