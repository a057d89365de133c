"""Encoders made of several teachers.

Imports the product's contract of encoders.
"""
