"""Neural embeddings: a text's vector is what a masked language model learns from the text.

Imports torch and transformers where used; ``settings`` and ``masks`` need neither.
"""
