#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What one call costs inside the runner, and what its figures and its audit add: see README.md.
# --check fails when an audit makes a call dearer than the limits in this file.
set -euo pipefail

usage="usage: run.sh runner [--check] [--rounds N] [--no-build]"
# The most that --check takes, as parts of a call without any: what the call's own thread waits.
asyncMax=10 syncLinesMax=25

check=no rounds=5 build=yes
while [ $# -gt 0 ]; do
  case $1 in
    --check) check=yes ;;
    --rounds) rounds=${2:?"$usage"}; shift ;;
    --no-build) build=no ;;
    *) echo "run.sh: unknown option $1" >&2; echo "$usage" >&2; exit 2 ;;
  esac
  shift
done
[ "$rounds" -ge 2 ] || { echo "run.sh: expected --rounds from 2: medians are shown" >&2; exit 2; }
root=$(cd "$(dirname "$0")/../.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
if [ "$build" = yes ]; then
  (cd "$root" && cmake --preset release -DBUILD_TESTING=ON &&
    cmake --build --preset release --target bench_runner tenon_fixtures) >"$scratch/log" 2>&1 ||
    { tail -50 "$scratch/log" >&2; echo "run.sh: the build failed" >&2; exit 1; }
fi

# By turns, so that a busy moment of the machine meets all of them.
"${TENON_BUILD:-$root/build/release}/bin/bench_runner" --benchmark_format=csv \
  --benchmark_repetitions="$rounds" --benchmark_enable_random_interleaving=true \
  --benchmark_min_time=0.2 2>"$scratch/stderr" >"$scratch/csv" ||
  { cat "$scratch/stderr" >&2; exit 1; }

LC_ALL=C sort "$scratch/csv" |
  awk -F, -v check="$check" -v asyncMax="$asyncMax" -v syncLinesMax="$syncLinesMax" '
  BEGIN {
    names = "nothing,figures,rows to nowhere,JSON lines,JSON lines sync,SQLite,SQLite sync"
    split(names, kept, ",")
  }
  { gsub(/"/, "", $1) }
  $1 ~ /_median$/ {
    name = $1
    sub(/_median$/, "", name)
    time[name] = $3
    order[++n] = name
  }
  END {
    base = time["runnerAudited/0/real_time"]
    if (base == 0) { print "run.sh: nothing was measured" >"/dev/stderr"; exit 1 }
    printf "%-28s %10s %10s\n", "a call", "ns", "of nothing"
    for (i = 1; i <= n; ++i) {
      label = order[i]
      if (match(label, /^runnerAudited\/[0-9]+/)) {
        label = "kept: " kept[substr(label, 15, 1) + 1]
      }
      printf "%-28s %10.0f %10.2f\n", label, time[order[i]], time[order[i]] / base
    }
    if (check != "yes") exit 0
    for (k = 3; k <= 5; ++k) {
      ratio = time["runnerAudited/" k "/real_time"] / base
      most = k == 4 ? syncLinesMax : asyncMax
      if (ratio > most) {
        printf "run.sh: a call with %s takes %.1f times one with nothing; expected at most %d\n",
          kept[k + 1], ratio, most >"/dev/stderr"
        failed = 1
      }
    }
    exit failed
  }'
