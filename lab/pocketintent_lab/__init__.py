"""The laboratory: algorithms of papers, and comparisons, that no shipped model needs.

Imports the product; the product finds its parts by entry points.
"""

__version__ = "0.1.0"
