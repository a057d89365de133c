"""Small models and tables with random or made weights.

Imports the product.
"""
