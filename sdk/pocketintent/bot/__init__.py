"""Tools for authors: checks of a template set, and the test of a bot with labelled utterances.

Imports the runtime, the recogniser and ``training.corpora``; matplotlib for the plot.
"""
