"""``python -m pocketintent_lab`` is the command ``pocketintent-lab``."""

import sys

from pocketintent_lab.cli.main import main

sys.exit(main())
