"""Neural embeddings: a text's vector is what a masked language model learns from the text.

Imports ``training.teachers``, and torch and transformers, which ``settings`` does without.
"""
