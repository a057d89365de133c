"""Commands and the places where they are killed, for ``benchmarks/robustness_kills.py``.

``points`` imports nothing of pocketintent.
"""
