"""Encoders as torch modules, a module for each kind and for each part that several share.

Imports the runtime, ``layers`` and ``writers.loops``.
"""
