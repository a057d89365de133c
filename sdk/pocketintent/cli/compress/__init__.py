"""``pocketintent compress``, ``compress-sweep`` and ``combine``, and the quality that they measure.

Imports compression and evaluation when the command runs.
"""
