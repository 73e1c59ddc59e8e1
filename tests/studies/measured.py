"""What a run of a program shows: where its time goes, and how often its lines are executed."""

import bisect
import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

import running

STACK = 8192


def samples(directory, command, stdin, frequency=1999, seconds=None):
    """The call chain of every sample of the user time, innermost first, as [(file, line, symbol), …], inlined calls included;
    only frames of the program itself, not those of libraries. The run is stopped after so many seconds, if any are given."""
    with tempfile.TemporaryDirectory() as temporary:
        data = Path(temporary) / "perf.data"
        recorder = ["perf", "record", "-q", "-e", "cpu-clock:u", "-F", str(frequency), "--call-graph", f"dwarf,{STACK}",
                    "-o", str(data), "--"]
        stopped = ["timeout", str(seconds)] if seconds else []
        recorded = ran(directory, recorder + stopped + command, stdin)
        if not data.exists():
            sys.exit(f"perf record {' '.join(command)}: {recorded.stderr}")
        script = running.call("perf", "script", "-i", data, "--no-inline", "-F", "ip,sym,dso")
    program = os.path.realpath(directory / command[0])
    chains = []
    for block in script.split("\n\n"):
        frames = re.findall(r"^\s*([0-9a-f]+) .*\((\S+)\)$", block, re.MULTILINE)
        # A return address is behind its call, maybe on the next line of the source.
        chains.append([int(address, 16) - (depth > 0) for depth, (address, object) in enumerate(frames)
                       if os.path.realpath(object) == program])
    lines = lines_of(program, sorted({address for chain in chains for address in chain}))
    return [[place for address in chain for place in lines[address]] for chain in chains if chain]


def ran(directory, command, stdin):
    with open(stdin) as given:
        return subprocess.run(command, cwd=directory, stdin=given, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def lines_of(program, addresses):
    """(file, line, symbol) of each offset in the program, with the calls that were inlined there, innermost first."""
    segments = [tuple(int(part, 16) for part in found) for found in
                re.findall(r"^\s*LOAD\s+(0x\w+) (0x\w+) 0x\w+ (0x\w+)", running.call("readelf", "-lW", program), re.MULTILINE)]
    moved = {address: address + next((at - offset for offset, at, size in segments if offset <= address < offset + size), 0)
             for address in addresses}
    told = subprocess.run(["addr2line", "-a", "-f", "-i", "-e", program], input="".join(f"{moved[address]:#x}\n" for address in addresses),
                          stdout=subprocess.PIPE, text=True, check=True).stdout
    found = defaultdict(list)
    at = symbol = None
    for line in told.splitlines():
        if re.fullmatch(r"0x[0-9a-f]+", line):
            at, symbol = int(line, 16), None
        elif number := re.fullmatch(r"(.*):(\d+|\?)( \(.*\))?", line):
            if number[2] != "?":
                found[at].append((number[1], int(number[2]), symbol))
        else:
            symbol = line
    return {address: found[moved[address]] for address in addresses}


def counts(directory, command, stdin):
    """How often lines were executed in one run of the program, by gcov."""
    for old in directory.rglob("*.gcda"):
        old.unlink()
    run = ran(directory, command, stdin)
    data = sorted(directory.rglob("*.gcda"))
    if not data:
        sys.exit(f"{directory}: {' '.join(command)} wrote no .gcda: compiled with --coverage? {run.stderr}")
    found = Counts()
    with tempfile.TemporaryDirectory() as temporary:
        for file in data:
            subprocess.run(["gcov", "--json-format", "--branch-counts", "--branch-probabilities", "--object-directory",
                            str(file.parent), str(file)], cwd=temporary, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
            for made in Path(temporary).glob("*.gcov.json.gz"):
                with gzip.open(made, "rt") as stream:
                    found.add(json.load(stream))
                made.unlink()
    return found


class Counts:
    """Executions by file name and line.

    >>> line = lambda number, count: {"line_number": number, "count": count, "branches": [], "function_name": "smooth"}
    >>> smooth = {"name": "smooth", "start_line": 24, "end_line": 130, "execution_count": 2}
    >>> counts = Counts()
    >>> counts.add({"files": [{"file": "operators.c", "functions": [], "lines": [line(101, 16), line(200, 3)]},
    ...                       {"file": "ops/gsrb.c", "functions": [smooth], "lines": [line(24, 2)]}]})
    >>> counts.of({"key": ("ops/gsrb.c", 100), "inside": [], "last": 104})
    (2, 8.0)
    """

    def __init__(self):
        self._lines = defaultdict(dict)
        self._branches = defaultdict(dict)
        self._functions = defaultdict(list)

    def add(self, report):
        # Lines of a function that lies in an included file are its own, even where gcov has them under the file that includes it.
        homes = {function["name"]: (Path(file["file"]).name, function["start_line"], function["end_line"])
                 for file in report["files"] for function in file["functions"]}
        for file in report["files"]:
            own = Path(file["file"]).name
            for line in file["lines"]:
                at = line["line_number"]
                home, first, last = homes.get(line.get("function_name"), (own, 0, 0))
                name = home if home != own and first <= at <= last else own
                self._lines[name][at] = self._lines[name].get(at, 0) + line["count"]
                branches = [branch["count"] for branch in line["branches"]]
                known = self._branches[name].get(at)
                self._branches[name][at] = [sum(pair) for pair in zip(known, branches)] if known else branches
            for function in file["functions"]:
                self._functions[own].append((function["start_line"], function["execution_count"]))

    def of(self, nest):
        """Calls of the nest's function, and the iterations of its innermost own loop in one call, None if it was never called."""
        file, first = nest["key"]
        name = Path(file).name
        # Where a function ends, gcov does not always say.
        before = [start for start, _ in self._functions[name] if start <= first]
        calls = sum(calls for start, calls in self._functions[name] if before and start == max(before))
        if calls == 0:
            return 0, None
        inside = lambda line: any(start <= line <= end for start, end in nest["inside"])
        executed = self._lines[name]
        test = self._branches[name].get(first, [])
        if len(test) == 2 or (test and first == nest["last"]):
            # The first branch goes on, the second one leaves; several loops of one line: the innermost has most.
            return calls, (test[0] if len(test) == 2 else max(test)) / calls
        # A test of several conditions: the first line of the body, where there is nothing but loops in it, that of the first one.
        body = (line for line in range(first + 1, nest["last"] + 1) if line in executed and not inside(line))
        at = next(body, None) or min((start for start, _ in nest["inside"]), default=first)
        return calls, executed.get(at, 0) / calls
