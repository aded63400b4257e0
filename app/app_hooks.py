"""What `panel serve app` does as it starts and before it makes a page."""

import sys
from pathlib import Path

ROOT = str(Path(__file__).resolve().parent.parent)
if ROOT not in sys.path:  # the console script does not look for packages in the current folder
    sys.path.insert(0, ROOT)

import panel as pn  # noqa: E402

if not pn.config.autoreload:  # which watches what `main.py` is the first to import
    from app.opening import open_in_pieces as on_server_loaded  # noqa: F401
