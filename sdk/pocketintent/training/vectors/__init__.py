"""Files of word vectors: word2vec, GloVe, fastText, StarSpace and pocketintent models.

Imports the runtime, and gensim where it is used.
"""
