"""``python -m pocketintent`` is the ``pocketintent`` command."""

import sys

from pocketintent.cli.main import main

sys.exit(main())
