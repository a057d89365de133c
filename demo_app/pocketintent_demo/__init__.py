"""A demo of ``pocketintent``, written as the author of a bot would write it."""
