"""Recurrent layers in numpy, for the kinds that read characters or words with them.

Imports ``encoders.weights``.
"""
