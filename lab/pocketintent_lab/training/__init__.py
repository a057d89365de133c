"""Training methods of papers: a folder for each.

Imports the loop, the corpora and the teachers of the product.
"""
