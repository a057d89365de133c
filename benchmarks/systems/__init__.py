"""The systems that a user could pick instead of pocketintent, behind one interface.

A module for each system, and :mod:`systems.registry` to open one by its name. Each system is used
as its own documentation says, on one thread. Modules import NumPy and pocketintent's runtime, and
all else inside functions: ``cold_start.py`` times the imports of the system that it loads.
"""
