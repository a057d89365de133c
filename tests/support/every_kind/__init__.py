"""What holds for every encoder kind and baseline: the product and the laboratory each give theirs.

Imports the product and the helpers beside it.
"""
