"""Layers that the graphs of all encoder kinds share: codes, unit length and the recogniser.

Imports the runtime, ``formats`` and torch.
"""
