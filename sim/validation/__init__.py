"""The model beside published measurements: ``python -m sim.validation [--fit] [--seeds N]``."""
