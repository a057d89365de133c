"""Training encoders with torch. Importing this package makes the `tweet` tokenizer known."""

from pocketintent.training import text as _text  # noqa: F401  registers the tokenizer
