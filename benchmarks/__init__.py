"""What the figures of the docs come from; each script has --help.

Side-by-side runs against the systems that a user would pick instead, measurements of the package's
own parts, and damaged files by the thousand. Run them from the repository's root:
``python -m benchmarks.accuracy.intents --help``.

All run on one thread, whatever the environment says; it has to be set before NumPy and torch are
imported.
"""

import os

for variable in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[variable] = "1"
os.environ["TOKENIZERS_PARALLELISM"] = "false"
