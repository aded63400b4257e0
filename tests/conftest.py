"""Settings that hold for all tests."""

import hypothesis

# A machine may be slow: no example fails for the time it takes.
hypothesis.settings.register_profile("default", deadline=None, print_blob=True)
hypothesis.settings.load_profile("default")
