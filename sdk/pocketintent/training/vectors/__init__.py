"""Files of word vectors in the usual formats: word2vec, GloVe, fastText, StarSpace, models.

Imports the runtime, and gensim where it is used.
"""
