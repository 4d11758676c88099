"""What the studies share; imported first, it lets them see problems.py, suite/ and peers/."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
