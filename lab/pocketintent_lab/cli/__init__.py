"""The `pocketintent-lab` command: a module for each subcommand.

Imports everything below it.
"""
