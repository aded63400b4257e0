"""One scenario by itself, in plain Python: the fastest way where there is no batch to share in.

The same model as the array engine, event by event: what happens next is the least number on
one heap, and only what an event touches is looked at.
"""

from sim.single.run import run_single

__all__ = ["run_single"]
