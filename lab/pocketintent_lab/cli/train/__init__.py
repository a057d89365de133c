"""Learn an encoder by a method of the laboratory.

Examples:
  pocketintent-lab train terms --corpus papers.txt.gz --out terms.tsv
  pocketintent-lab train words --corpus papers.txt.gz --terms terms.tsv --out words.safetensors
  pocketintent-lab train COMMAND --help
"""
