"""The ``pocketintent`` command: a module or folder for each subcommand.

Imports every side, and nothing of training before its command runs.
"""
