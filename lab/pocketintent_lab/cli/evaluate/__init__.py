"""Measure a model by a task of the laboratory.

Prints JSON.

Examples:
  pocketintent-lab evaluate triplets pairs/mrpc/test.jsonl --model default tiny
  pocketintent-lab evaluate retrieval retrieval/xquad_en --source default --networks none
  pocketintent-lab evaluate COMMAND --help
"""
