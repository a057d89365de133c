"""Evaluation: metrics, readers of the evaluation files, and a folder for each task.

Imports the runtime and training, and scikit-learn, SciPy and matplotlib where they are used.
"""
