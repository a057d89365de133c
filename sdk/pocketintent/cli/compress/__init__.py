"""``pocketintent compress`` and ``combine``, and the quality that they measure.

Imports compression once a command is chosen, and evaluation when it measures.
"""
