"""Python and the core in C side by side, for ``core_files.py``, ``core_texts.py`` and the tests."""
