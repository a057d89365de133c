"""`pocketintent-lab train`: a module for each method.

Imports the training of the laboratory.
"""
