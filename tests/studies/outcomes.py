"""What becomes of the counts that `analyze` gives without being told anything, where gcov has counted a run."""

import gzip
import json
import subprocess
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import running


# Reasons that say something of bytes or time, and nothing of how often anything is done.
OF_BYTES = {"allocation_in_loop", "array_intrinsic", "check_failed", "conditional_step", "conflict_misses", "few_rows",
            "gathered_elements", "memory_intrinsic", "non_affine_subscript", "partly_empty", "pointer_moves", "rank",
            "several_forms", "shared_loop", "skewed_walk", "uneven_bounds", "unknown_dependence", "unknown_latency",
            "unknown_layout", "unknown_size", "unknown_stride", "varying_subscript"}


class Outcome(NamedTuple):
    """*equal*; *marked*, where the nest or the number of its calls has a reason code that is not of bytes alone; *guessed*, where the count changes with
    a size or a probability that is only guessed; *not run*, where the run came to none of it; *wrong*, where nothing says
    that the count may be."""

    outcome: str
    file: str
    nest: str
    iterations: float
    count: int


def branches(directory):
    """Executions and counts of branches by name of a file and line, of a program that ran there."""
    data = [file.name for file in sorted(Path(directory).glob("*.gcda"))]
    subprocess.run(["gcov", "--json-format", "-b", "-c", *data], cwd=directory, check=True, capture_output=True)
    found = {}
    for made in Path(directory).glob("*.gcov.json.gz"):
        with gzip.open(made, "rt") as stream:
            files = json.load(stream)["files"]
        for file in files:
            lines = found.setdefault(Path(file["file"]).name, {})
            for line in file["lines"]:
                count, before = lines.get(line["line_number"], (0, []))
                own = [branch["count"] for branch in line["branches"]]
                lines[line["line_number"]] = (count + line["count"], before + own)
    return found


def nests(report):
    """By name of the file and nest: iterations of all calls, codes, first and last line of its innermost loop, and whether
    that is a `do` in steps of one.

    >>> loop = {"id": "f@3", "line": 3, "end_line": 5}
    >>> nest = {"loop": "f@3", "loops": ["f@3"], "iterations": 7, "calls": 2, "reasons": [], "calls_reasons": ["call"]}
    >>> nests({"functions": [{"name": "f", "file": "src/a.c", "loops": [loop], "nests": [nest]}]})
    {('a.c', 'f@3'): (14, ['call'], 3, 5, False)}
    """
    found = {}
    for function in report["functions"]:
        loops = {loop["id"]: loop for loop in function["loops"]}
        for nest in function["nests"]:
            inner = loops[nest["loops"][-1]]
            known = nest["iterations"] is not None and nest["calls"] is not None
            iterations = nest["iterations"] * nest["calls"] if known else None
            key = (Path(function["file"]).name, nest["loop"])
            codes = [code for code in nest["reasons"] + nest["calls_reasons"] if code not in OF_BYTES]
            is_do = Path(function["file"]).suffix != ".c" and inner.get("step") in ("1", "-1")
            found[key] = (iterations, codes, inner["line"], inner["end_line"], is_do)
    return found


def guesses(report, is_larger):
    """Settings that change what nothing in the program gives."""
    for name, row in report["parameters"].items():
        is_probability = row["kind"] == "probability"
        is_guessed = row["origin"] == "guessed" if is_probability else (
            row["kind"] not in ("block", "machine") and row.get("definition") is None and row["origin"] != "source")
        if row["value"] is not None and is_guessed:
            share, size = (0.77, int(row["value"] * 3) + 5) if is_larger else (0.41, 1)
            yield f"{name}={(row['value'] or 0.5) * share if is_probability else size}"


def set_otherwise(analyze, settings):
    """The nests with other values; nothing where one setting makes another impossible."""
    try:
        return nests(json.loads(running.call(*analyze, *settings, "--json", "-", "--quiet", fine=(0, 1))))
    except subprocess.CalledProcessError:
        return {}


def judged(analyze, counted):
    """What became of each nest that `analyze` finds, and whose head or body gcov has counted, as [`branches`] gives it."""
    report = running.reported(*analyze)
    found = nests(report)
    others = []
    for is_larger in (True, False):
        settings = [part for setting in guesses(report, is_larger) for part in ("--set", setting)]
        others += [set_otherwise(analyze, settings)] if settings else []
    heads = Counter((file, first) for (file, _), (_, _, first, *_) in found.items())
    for key, (iterations, codes, first, last, is_do) in found.items():
        lines = counted.get(key[0], {})
        _, taken = lines.get(first, (0, []))
        if heads[key[0], first] > 1 or len(taken) != 2:
            continue
        # Of a loop with a step of its own, gcov counts its end elsewhere: the first line of the body says it.
        body = next((lines[line][0] for line in range(first + 1, last + 1) if line in lines), taken[0])
        # gfortran counts the step to the next iteration with the last line of the body, once more an execution than there
        # are iterations: what its `do` in steps of one goes on with is the branch of the first line.
        body = taken[0] if is_do and body == sum(taken) else body
        if codes or iterations is None:
            outcome = "marked"
        elif any(other.get(key, (None,))[0] != iterations for other in others):
            outcome = "guessed"
        elif any(abs(iterations - count) <= 1e-6 * max(count, 1) for count in (taken[0], body)):
            outcome = "equal"
        else:
            outcome = "wrong" if any(taken) else "not run"
        yield Outcome(outcome, *key, iterations, taken[0])
