"""``python -m frankwolfe`` is the command line."""

import sys

from frankwolfe.cli import main

sys.exit(main())
