"""The core in C as a backend: the package that has it, and a bot that matches with it.

May import the bot file and what it stands on. The package is optional, and imported when a bot is
opened.
"""
