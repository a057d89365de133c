"""Tables of vectors and models side by side, triplets of texts.

Imports the evaluation of the product.
"""
