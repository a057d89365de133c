"""Graph modules of the laboratory's encoder kinds.

Imports the export and the kinds.
"""
