"""What the studies of times share: flags, what they are to `analyze`, and how far times are from a clock."""

import json
import math
from pathlib import Path

# Flags of the compilers, and what they are to `analyze`.
FLAGS = {
    "-O3 -march=native": (),
    # GCC 12 vectorises what costs no code for the rest of the iterations, which most kernels have.
    "-O2 -march=native": ("--set", "vectorise=0"),
    "-Ofast -march=native": ("--set", "reorder_sums=1,vector_functions=1"),
    "-O3 -march=native -fno-tree-vectorize": ("--set", "vectorise=0"),
}


class Kept:
    """Measured times by a key, kept in a file if there is one."""

    def __init__(self, file):
        self.file = Path(file) if file else None
        self.known = json.loads(self.file.read_text()) if self.file and self.file.exists() else {}

    def of(self, key, measure):
        if key not in self.known:
            self.known[key] = measure()
            if self.file:
                self.file.write_text(json.dumps(self.known, indent=1))
        return self.known[key]


def nests(report):
    """All nests of a report, wherever its functions are."""
    for function in report["functions"]:
        yield from function["nests"]


def ranks(values):
    order = sorted(range(len(values)), key=values.__getitem__)
    ranked = [0] * len(values)
    for rank, at in enumerate(order):
        ranked[at] = rank
    return ranked


def correlation(xs, ys):
    """Spearman's."""
    xs, ys = ranks(xs), ranks(ys)
    middle = (len(xs) - 1) / 2
    covariance = sum((x - middle) * (y - middle) for x, y in zip(xs, ys))
    return covariance / sum((x - middle) ** 2 for x in xs)


HEADING = f"{'flags':40} cases  mean error  worst  within 1.5  within 3  rank correlation an iteration"


def compared(title, measured, model, show_cases):
    """Prints how far the model is from the measured seconds of each case; it gives seconds, iterations and the bound."""
    ratios, pairs = {}, []
    for case, clock in measured.items():
        seconds, iterations, bound = model[case]
        ratios[case] = seconds / clock
        pairs.append((seconds / iterations, clock / iterations))
        if show_cases:
            print(f"  {case:22} measured {clock / iterations * 1e9:8.3f}  model {seconds / iterations * 1e9:8.3f} "
                  f"ns an iteration  {ratios[case]:6.2f}  {bound}")
    errors = [max(ratio, 1 / ratio) for ratio in ratios.values()]
    mean = math.exp(sum(map(math.log, errors)) / len(errors))
    within = [sum(error <= most for error in errors) / len(errors) for most in (1.5, 3)]
    worst = max(ratios, key=lambda case: max(ratios[case], 1 / ratios[case]))
    print(f"{title:40} {len(errors):5} {mean:11.2f} {max(errors):6.1f} {within[0]:10.0%} {within[1]:9.0%} "
          f"{correlation(*zip(*pairs)):9.2f}   (worst: {worst})", flush=True)
