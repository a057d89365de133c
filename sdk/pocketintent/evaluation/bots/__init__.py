"""Bots as people write them, and the free phrasings that they get: what is answered and refused.

Imports the recogniser, ``training.corpora`` and ``evaluation.intents``.
"""
