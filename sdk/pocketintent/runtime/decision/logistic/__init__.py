"""The decision ``logistic``: computed and stored in ``scorer``, fitted in ``fitting``.

Imports the background, the text, and the index of the templates.
"""
