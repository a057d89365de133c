"""``pocketintent evaluate``: a module for each task.

Imports evaluation when a task runs.
"""
