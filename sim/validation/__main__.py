"""Prints the comparisons as Markdown."""

import argparse

from sim.validation import cliff, serving


def main(arguments=None):
    """Print what the model and the reports say, side by side."""
    parser = argparse.ArgumentParser(
        prog="python -m sim.validation", description="The model beside published measurements."
    )
    parser.add_argument("--fit", action="store_true", help="try the KV capacities again")
    parser.add_argument("--seeds", type=int, default=3, help="seeds to average over (3)")
    chosen = parser.parse_args(arguments)
    if chosen.seeds < 1:
        parser.error("--seeds must be at least 1")
    kv = _fitted(chosen.seeds) if chosen.fit else cliff.FITTED_KV
    for name, title in (("dpa", "DPA8, fitted"), ("tp", "TP8, predicted")):
        rows, error = cliff.table(name, kv, chosen.seeds)
        capacity = cliff.scenario(name, 8, kv, 0).kv_capacity
        print(f"{title}: KV capacity {capacity:,} tokens a worker\n\n{rows}\n")
        print(f"Root mean square error {error:.2f}.\n")
    print(f"Rates of three serving runs\n\n{serving.table()}")


def _fitted(seeds):
    """Print the error of each KV capacity; return the best."""
    print("| KV capacity | root mean square error |\n|---|---|")
    found = {}
    for tokens, error in cliff.fit(seeds):
        found[tokens] = error
        print(f"| {tokens:,} | {error:.3f} |", flush=True)
    print()
    return min(found, key=found.get)


if __name__ == "__main__":
    main()
