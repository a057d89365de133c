"""``pocketintent train``: a module for each method.

Imports training when a method is chosen.
"""
