"""Commands and the places where they are killed, for ``benchmarks/robustness/killed_commands.py``.

``points`` imports nothing of pocketintent.
"""
