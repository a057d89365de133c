"""The graphs of each encoder kind as torch modules, and the parts that several kinds share.

Imports the runtime, ``layers`` and ``writers.loops``.
"""
