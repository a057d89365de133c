"""Training the encoder ``contextual`` on a sentence encoder's vectors of texts.

Imports ``training.teachers``, ``vectors``, ``corpora`` and ``loop``, compression and the runtime.
"""
