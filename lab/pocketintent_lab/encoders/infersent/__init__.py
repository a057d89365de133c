"""The kind ``infersent``: a BiLSTM with max pooling over the words of a table.

Imports the kind ``static``, ``encoders.sequence`` and ``encoders.recurrent``.
"""
