"""Training the encoder ``transformer`` on a sentence encoder's vectors and on paraphrases.

Imports ``training.teachers``, ``corpora`` and ``loop``, compression and the runtime.
"""
