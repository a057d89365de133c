"""The template file: its three JSON forms, reading, checking, editing and saving.

Imports ``runtime.text`` and ``runtime.files``.
"""
