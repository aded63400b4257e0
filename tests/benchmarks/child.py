"""A process that runs one case, given as JSON, and prints its peak memory."""

import json
import sys

from tests.benchmarks.cases import Case
from tests.benchmarks.measure import call, peak_so_far

if __name__ == "__main__":  # and not in the processes of a sweep
    given = json.loads(sys.argv[1])
    if given:
        case = Case(**given)
        results = call(case, case.scenarios())
    print(peak_so_far())
