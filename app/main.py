"""`panel serve app`: the dashboard."""

import sys
from pathlib import Path

ROOT = str(Path(__file__).resolve().parent.parent)
if ROOT not in sys.path:  # the console script does not look for packages in the current folder
    sys.path.insert(0, ROOT)

from app.session import open_page  # noqa: E402

open_page()
