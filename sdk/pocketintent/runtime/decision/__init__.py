"""From a text to its match: the scores of its intents, and what is made of them.

Imports the index of the templates, the contract of encoders, and the text.
"""
