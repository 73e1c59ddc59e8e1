"""Which loop nest of a report a source line belongs to."""

from pathlib import Path


class Loops:
    """The nests of a report of `loopsheet analyze`, by (file, line where the innermost loop of their own begins). Nests that share
    that line, and copies of a function, are one: no profile can part them."""

    def __init__(self, report):
        self.nests = {}
        self._owner = {}
        self._files = {}
        # A file that a debugger knows under another directory is found by its name, if that is unambiguous.
        self._known = {}
        for function in report["functions"]:
            self._add(function)
        for file in {key[0] for key in self._owner}:
            self._files.setdefault(Path(file).name, []).append(file)

    def _add(self, function):
        loops = {loop["id"]: loop for loop in function["loops"]}
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

    def nest_at(self, file, line):
        """The innermost nest around the line, None outside of loops."""
        if file not in self._known:
            self._known[file] = self._matching(Path(file))
        return self._owner.get((self._known[file], line))

    def _matching(self, file):
        candidates = self._files.get(file.name, [])
        alike = lambda other: sum(1 for _ in _common(file.parts, Path(other).parts))
        return max(candidates, key=alike, default=None)


def _common(one, other):
    for left, right in zip(reversed(one), reversed(other)):
        if left != right:
            return
        yield left
