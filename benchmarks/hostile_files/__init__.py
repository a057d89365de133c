"""Damaged and hostile files, each drawn from a seed, for ``robustness.py`` and the tests.

Imports the runtime and, in ``folders``, the export.
"""
