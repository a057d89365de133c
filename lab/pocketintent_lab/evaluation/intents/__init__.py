"""Baselines for intents that are trained on each draw.

Imports the evaluation of the product.
"""
