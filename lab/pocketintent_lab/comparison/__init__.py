"""Comparison of training algorithms: plans, cached runs, and the page that shows them.

Imports the runtime, ``training.corpora``, ``compression``, and ``evaluation.intents`` and
``evaluation.similarity``. Training runs in a process of the project's own command.
"""
