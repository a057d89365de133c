"""`pocketintent-lab evaluate`: a module for each task.

Imports the evaluation of the laboratory.
"""
