"""What the studies share: the programs they run, and how they find and compile the kernels of PolyBench/C.

LOOPSHEET names loopsheet itself (default: target/release/loopsheet), COMPILER the compiler for riscv64.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
COMPILER = os.environ.get("COMPILER", "riscv64-linux-gnu-gcc")


def parser(description):
    """A parser of arguments that knows which program to run."""
    made = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--loopsheet", default=os.environ.get("LOOPSHEET", str(ROOT / "target" / "release" / "loopsheet")),
                      metavar="FILE", help="the program to run (LOOPSHEET, or target/release/loopsheet)")
    return made


def parsed(made):
    """The options before `--`, and the arguments behind it."""
    arguments = sys.argv[1:]
    split = arguments.index("--") if "--" in arguments else len(arguments)
    return made.parse_args(arguments[:split]), arguments[split + 1:]


def need(*tools):
    for tool in tools:
        if shutil.which(tool) is None:
            sys.exit(f"{tool} is needed")


def call(*command, fine=(0,)):
    """What the command prints; any other exit status is an error."""
    run = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if run.returncode not in fine:
        raise subprocess.CalledProcessError(run.returncode, command[0], stderr=run.stderr)
    return run.stdout


def complaint(error):
    """The last line that a command wrote before it failed."""
    return ((error.stderr or "").strip().splitlines() or [str(error)])[-1]


def reported(*command):
    """The JSON that a command prints; status 1 means that a part could not be read or run. Anything else ends the study."""
    try:
        return json.loads(call(*command, "--json", "-", "--quiet", fine=(0, 1)))
    except (subprocess.CalledProcessError, json.JSONDecodeError) as error:
        sys.exit(f"{' '.join(map(str, command))}\n{getattr(error, 'stderr', None) or error}")


def kernels_of(directory):
    """The sources of PolyBench/C: those in a directory of the same name."""
    return [path for path in sorted(directory.rglob("*.c")) if path.stem == path.parent.name]


def kept_apart(source, attribute, directory):
    """A copy of the source whose kernel has an attribute, `noinline` so that it keeps its own instructions, `noipa` so
    that it is also compiled for any arguments."""
    patched = directory / source.name
    text = re.sub(r"static(\s+void\s+kernel_)", rf"static __attribute__(({attribute}))\1", source.read_text())
    patched.write_text(f'#line 1 "{source}"\n{text}')
    return patched


def traced(loopsheet, program, function, *options):
    """What `trace` prints about the function while the program runs; the trace itself is never on disk."""
    recorder = subprocess.Popen([loopsheet, "record", "--quiet", "--function", function, "-o", "-", "--", str(program)],
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    command = [loopsheet, "trace", "-", "--elf", program, "--quiet", *options]
    tracer = subprocess.run([str(word) for word in command], stdin=recorder.stdout, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True)
    recorder.stdout.close()
    said = recorder.stderr.read().decode()
    if recorder.wait() != 0:
        raise subprocess.CalledProcessError(recorder.returncode, "record", stderr=said)
    if tracer.returncode != 0:
        raise subprocess.CalledProcessError(tracer.returncode, "trace", stderr=tracer.stderr)
    return tracer.stdout
