"""Word2Vec and FastText by gensim.

Imports ``training.loop``, ``training.corpora``, ``training.terms`` and ``training.vectors``.
"""
