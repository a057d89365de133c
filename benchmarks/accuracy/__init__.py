"""Accuracy: intents with few templates, small bots, negation, and what a setting costs or wins."""
