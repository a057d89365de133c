"""InferSent: sentence vectors from a BiLSTM that was trained to classify pairs of sentences.

Imports ``training.loop``, ``training.corpora`` and ``training.vectors``.
"""
