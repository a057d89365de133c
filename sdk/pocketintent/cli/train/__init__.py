"""Learn an encoder from a corpus.

The model is not yet compressed; see `pocketintent compress`.

Examples:
  pocketintent train starspace --corpus chats.txt.gz --out trained.safetensors
  pocketintent train starspace --corpus chats.txt.gz --settings starspace.toml --out m.safetensors
  pocketintent train COMMAND --help
"""

# A method's module imports its settings; training itself is imported when the method runs.
