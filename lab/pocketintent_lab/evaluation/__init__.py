"""Evaluations of the laboratory: a folder for each task.

Imports the evaluation of the product.
"""
