"""Options that several commands share.

May import the runtime alone.
"""
