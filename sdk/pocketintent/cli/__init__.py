"""The ``pocketintent`` command: a module or folder for each subcommand.

May import every package, and imports none but the runtime before a subcommand is chosen.
"""
