#!/bin/sh
# The shards of a sweep under GNU parallel, in 50 parts, on this machine and those of a file with their names:
#   sh parallel.sh [MACHINES]
set -e
loopsheet sweep plan sweep.toml
seq 1 50 | parallel ${1:+--sshloginfile "$1" --workdir "$PWD"} loopsheet sweep run {} --of 50 --quiet || true # the merge says what failed
loopsheet sweep merge
