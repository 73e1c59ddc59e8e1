"""Which loop nest of a report a source line belongs to."""

import re
from collections import defaultdict
from pathlib import Path


class Loops:
    """The nests of a report of `loopsheet analyze`, by (file, line where the innermost loop of their own begins). Nests that share
    that line, and copies of a function, are one: no profile can part them.

    GCC files some lines of a function that is `#include`d, above all of a body that it moves into a function of its own for
    OpenMP, under the file that includes it, with the numbers that they have in their own. The symbol is right, as the function
    is compiled once; a line of a file in which no part of its function lies cannot be one of the function. It is looked up in
    the function's own file, if that has a loop of the function there, and is outside loops else:

    >>> loop = {"id": "smooth@100", "parent": None, "depth": 0, "line": 100, "end_line": 104}
    >>> other = {"id": "norm@100", "parent": None, "depth": 0, "line": 100, "end_line": 101}
    >>> nest = lambda name: {"loop": name, "loops": [name], "all_calls_seconds": 1, "share": 0.5, "calls": 1, "iterations": 8}
    >>> loops = Loops({"functions": [
    ...     {"name": "smooth", "file": "ops/gsrb.c", "loops": [loop], "nests": [nest("smooth@100")]},
    ...     {"name": "norm", "file": "operators.c", "loops": [other], "nests": [nest("norm@100")]}]})
    >>> loops.nest_at("/build/operators.c", 100, "smooth._omp_fn.0")
    ('ops/gsrb.c', 100)
    >>> loops.nest_at("/build/operators.c", 99, "smooth._omp_fn.0") is None
    True
    >>> loops.nest_at("/build/operators.c", 100, "norm")
    ('operators.c', 100)
    >>> loops.nest_at("/build/ops/gsrb.c", 102, "smooth")
    ('ops/gsrb.c', 100)
    >>> loops.nest_at("/build/operators.c", 101, "unknown")
    ('operators.c', 100)
    """

    def __init__(self, report):
        self.nests = {}
        self._owner = {}
        self._files = {}
        # Where the parts of functions lie, by their names.
        self._homes = defaultdict(set)
        # A file that a debugger knows under another directory is found by its name, if that is unambiguous.
        self._known = {}
        for function in report["functions"]:
            self._add(function)
        for file in {key[0] for key in self._owner}:
            self._files.setdefault(Path(file).name, []).append(file)

    def _add(self, function):
        loops = {loop["id"]: loop for loop in function["loops"]}
        self._homes[function["name"]] |= {function["file"]} | {loop.get("file", function["file"]) for loop in loops.values()}
        belongs = {}
        for nest in sorted(function["nests"], key=lambda nest: len(nest["loops"])):
            own = loops[nest["loops"][-1]]
            key = own.get("file", function["file"]), own["line"]
            for name in nest["loops"]:
                belongs.setdefault(name, key)
            self._count(key, function, nest, own)
        for loop in sorted(function["loops"], key=lambda loop: loop["depth"]):
            if loop["id"] in belongs:
                file = loop.get("file", function["file"])
                for line in range(loop["line"], loop["end_line"] + 1):
                    self._owner[file, line] = belongs[loop["id"]]

    def _count(self, key, function, nest, own):
        children = [loop for loop in function["loops"] if loop["parent"] == own["id"]]
        fresh = {"key": key, "title": nest["loop"], "seconds": 0.0, "share": 0.0, "calls": 0.0, "iterations": 0.0, "reached": False,
                 "first": own["line"], "last": own["end_line"],
                 "inside": [(child["line"], child["end_line"]) for child in children]}
        entry = self.nests.setdefault(key, fresh)
        number = lambda name: nest[name] if isinstance(nest[name], (int, float)) else 0.0
        entry["seconds"] += number("all_calls_seconds")
        entry["share"] += number("share")
        entry["calls"] += number("calls")
        entry["reached"] |= number("calls") > 0
        entry["iterations"] = max(entry["iterations"], number("iterations"))

    def costliest(self, count):
        """The nests that take time, costliest first; all of them without a count."""
        timed = (nest for nest in self.nests.values() if nest["seconds"] > 0)
        return sorted(timed, key=lambda nest: (-nest["seconds"], nest["key"]))[:count]

    def nest_at(self, file, line, symbol=None):
        """The innermost nest around the line of the function with the symbol, None outside loops."""
        if file not in self._known:
            self._known[file] = self._matching(Path(file))
        homes = (self._homes.get(symbol) or self._homes.get(function_of(symbol), set())) if symbol else set()
        if homes and self._known[file] not in homes:
            found = {self._owner[home, line] for home in homes if (home, line) in self._owner}
            return found.pop() if len(found) == 1 else None
        return self._owner.get((self._known[file], line))

    def _matching(self, file):
        candidates = self._files.get(file.name, [])
        alike = lambda other: sum(1 for _ in _common(file.parts, Path(other).parts))
        return max(candidates, key=alike, default=None)


def function_of(symbol):
    """The name of a function without what GCC adds to that of a part or a copy of it, and gfortran to that of any procedure.

    >>> [function_of(name) for name in ("smooth._omp_fn.0", "walk.constprop.0.isra.1", "main", "ab3_", "__flow_MOD_sweep")]
    ['smooth', 'walk', 'main', 'ab3', 'sweep']
    """
    name = re.sub(r"\.(_omp_fn|_omp_cpyfn|constprop|isra|part|cold|lto_priv|localalias|[0-9]+)\b.*", "", symbol)
    return re.sub(r"^__\w+?_MOD_|_$", "", name)


def _common(one, other):
    for left, right in zip(reversed(one), reversed(other)):
        if left != right:
            return
        yield left
