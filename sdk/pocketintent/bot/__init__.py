"""Test of a bot: labelled utterances, figures, confusions, and the limits that they suggest.

Imports the runtime, ``evaluation.records`` and ``training.corpora``; matplotlib for the plot.
"""
