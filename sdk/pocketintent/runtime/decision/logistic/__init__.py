"""The decision ``logistic``: computed in ``scorer``, fitted in ``fitting``, stored in ``stored``.

Imports the background, the text, and the index of the templates.
"""
