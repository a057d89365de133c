"""The laboratory of pocketintent: algorithms of papers, and their comparisons.

Results go to stdout as JSON, one object per line; progress and messages go to stderr.

Examples:
  pocketintent-lab train glove --corpus chats.txt.gz --out glove.safetensors
  pocketintent-lab evaluate triplets pairs/mrpc/test.jsonl --model default tiny
  pocketintent-lab compare plan.toml --out comparison
  pocketintent-lab sweep trained.safetensors --sts sts/stsb/dev.jsonl --out sweep
  pocketintent-lab COMMAND --help

exit status: 0 success, 1 bad input, 2 bad usage
"""
