"""Teachers that a file describes, which the product opens by their kind.

Imports ``training.neural`` and ``training.multires``, and the teachers of the product.
"""
