"""Calls of the commands in tests: their settings files, what they end with, junk.

Imports the product and the helpers beside it.
"""
