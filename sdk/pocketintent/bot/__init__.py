"""Tools for authors: checks of a template set, the building of a bot, and its test.

Imports the recogniser, the runtime, ``compression`` and ``training``; matplotlib for the plot.
"""
