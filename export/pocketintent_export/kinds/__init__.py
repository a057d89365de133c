"""How each encoder kind is exported: its checks, its inputs, its torch modules, and its reference.

Imports the runtime, ``layers`` and ``loops``.
"""
