"""Training: a folder for each capability, and one for the loop that they share.

Imports the runtime and compression, and torch and NLTK where they are used.
"""

from pocketintent.training.corpora import tokenizers as _tokenizers  # noqa: F401  registers `tweet`
