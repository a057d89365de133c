"""Keyphrase extraction: our terms, TF-IDF and YAKE against keyphrases assigned by people.

Imports ``training.terms``; scikit-learn, yake and NLTK where they are used.
"""
