"""The systems that a user could pick instead of pocketintent, behind one interface.

A module for each system, and :mod:`benchmarks.systems.registry` to open one by its name. Each
system is used as its own documentation says. Modules import NumPy and pocketintent's runtime, and
all else inside functions: ``speed/cold_start.py`` times the imports of the system that it loads.
"""
