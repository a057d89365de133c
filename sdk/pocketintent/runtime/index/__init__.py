"""The templates as an index: their rows, the search for the nearest, the part of a bot file.

Imports the arrays, the quantisation and the templates.
"""
