"""``pocketintent train``: a module for each method.

A method's module imports its settings; training itself is imported when the method runs.
"""
