"""The kind ``transformer``: tokens that attention changes, as in docs/transformer.md.

Imports ``runtime.encoders.static`` and ``sequence``.
"""
