"""Exported folders in tests: opening them, changing them, running the ports.

Imports the product and the helpers beside it.
"""
