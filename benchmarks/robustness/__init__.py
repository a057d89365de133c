"""Damaged files by the thousand, and commands that are killed."""
