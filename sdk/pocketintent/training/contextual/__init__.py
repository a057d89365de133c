"""Training the encoder ``contextual`` on a sentence encoder's vectors of texts.

Imports ``training.teachers``, ``training.corpora``, ``training.loop``, and the runtime.
"""
