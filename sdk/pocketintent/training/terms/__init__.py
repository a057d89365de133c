"""Terms of several words: extraction from a corpus, their file, joining them in token lists.

Imports the runtime and ``training.corpora``.
"""
