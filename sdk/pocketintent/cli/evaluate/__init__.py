"""Measure a model.

Prints JSON.

Examples:
  pocketintent evaluate sts sts/stsb/test.jsonl --model my.safetensors
  pocketintent evaluate intents intents/clinc150 --shots 5,10 --runs 3 --split valid
  pocketintent evaluate bots bots/valid --model tiny
  pocketintent evaluate typing-errors intents/clinc150 --model default fast tiny
  pocketintent evaluate COMMAND --help
"""

# A task imports evaluation when it runs.
