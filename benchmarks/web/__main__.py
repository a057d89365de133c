"""``python -m benchmarks.web`` measures the npm package; ``--help`` describes it."""

import sys

from benchmarks.web.command import main

sys.exit(main())
