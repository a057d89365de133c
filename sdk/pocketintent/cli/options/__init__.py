"""Options that several commands share.

Imports the runtime.
"""
