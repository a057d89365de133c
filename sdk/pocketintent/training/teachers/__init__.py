"""Sentence encoders to learn from: local models, and their vectors of texts.

Imports ``training.vectors`` and ``training.corpora``, and onnxruntime, tokenizers, torch and
transformers where used.
"""
