"""Sentence encoders to learn from: local models, and the vectors that they give to texts.

Imports ``training.vectors``; onnxruntime, tokenizers and transformers where they are used.
"""
