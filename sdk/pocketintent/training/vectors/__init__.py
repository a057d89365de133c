"""Files of word vectors: word2vec, GloVe, fastText, Sent2Vec, floret, gensim, StarSpace, own models.

Imports the runtime.
"""
