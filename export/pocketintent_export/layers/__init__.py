"""Layers that graphs of all kinds share: stored codes, unit length, the recogniser on top.

Imports the runtime and torch.
"""
