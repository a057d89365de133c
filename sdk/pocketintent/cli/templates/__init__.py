"""Work on template files.

Examples:
  pocketintent templates check my_bot.json
  pocketintent templates test my_bot.json utterances.csv
  pocketintent templates COMMAND --help
"""

# An action imports evaluation when it measures a bot.
