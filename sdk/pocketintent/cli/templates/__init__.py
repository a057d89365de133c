"""``pocketintent templates``: a module for each action.

Imports evaluation when a bot is tested.
"""
