"""Recognise the intent of an utterance on the device: a model of a few MB, templates in JSON.

Results go to stdout as JSON, one object per line; progress and messages go to stderr.

Examples:
  pocketintent match --templates smart_home "could you switch the lamp off please"
  pocketintent match --templates my_bot.json < utterances.txt > matches.jsonl
  pocketintent build my_bot.json --model tiny --out my_bot.safetensors
  pocketintent COMMAND --help

exit status: 0 success, 1 bad input, 2 bad usage
"""

# Imports nothing but the runtime before a command is chosen.
