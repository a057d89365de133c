"""The decision ``logistic``: a linear classifier for each intent, fitted on the templates.

Imports ``runtime.background``, ``runtime.text``, and the search of ``runtime.decision``.
"""
