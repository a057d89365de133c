"""Masked language models: a tokenizer and a small transformer, trained on a corpus.

Imports ``training.corpora`` and ``training.loop``, and tokenizers and transformers where used.
"""
