"""What `panel serve app` does as it starts and before it makes a page."""

import sys
from pathlib import Path

ROOT = str(Path(__file__).resolve().parent.parent)
if ROOT not in sys.path:  # the console script does not look for packages in the current folder
    sys.path.insert(0, ROOT)

from app.opening import open_in_pieces as on_server_loaded  # noqa: E402, F401
