"""ConvRR and FCRR: residual layers that move vectors of texts of one group towards each other.

Imports ``training.loop`` and ``training.corpora``.
"""
