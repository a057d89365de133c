"""Files of word vectors of other programs: fastText, floret, gensim's KeyedVectors.

Imports the product's tables of vectors.
"""
