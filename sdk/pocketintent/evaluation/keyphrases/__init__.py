"""Terms against the keyphrases that people gave to documents, beside TF-IDF and YAKE.

Imports ``training.terms``; scikit-learn, yake and NLTK where they are used.
"""
