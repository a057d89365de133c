"""Damaged and hostile files, each drawn from a seed, for ``damaged_files.py`` and the tests.

Imports the runtime and, in ``folders``, the export.
"""
