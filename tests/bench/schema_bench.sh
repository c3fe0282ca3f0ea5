#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Measures the validation of real tools' arguments: see README.md. `run.sh schema` starts it.
set -euo pipefail

usage="usage: run.sh schema [--check] [--rounds N] [--no-build]
  --check     exit 1 unless validating costs less than parsing, and allocates nothing
  --rounds N  how often everything is measured (3)
  --no-build  measure what is built already"

check=no rounds=3 build=yes
while [ $# -gt 0 ]; do
  case $1 in
    --check) check=yes ;;
    --rounds) rounds=${2:?"$usage"}; shift ;;
    --no-build) build=no ;;
    *) echo "run.sh schema: unknown option $1" >&2; echo "$usage" >&2; exit 2 ;;
  esac
  shift
done

root=$(cd "$(dirname "$0")/../.." && pwd)
out=${TENON_BUILD:-$root/build/release} # where --no-build finds it
clients=$root/tests/clients
node=$clients/node_modules/node/bin/node
script=$root/tests/bench/schema_bench_ajv.mjs
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

if [ "$build" = yes ]; then
  (cd "$root" && cmake --preset release -DBUILD_TESTING=ON &&
    cmake --build --preset release --target bench_schema) >"$scratch/build.log" 2>&1 ||
    { tail -50 "$scratch/build.log" >&2; echo "run.sh schema: the build failed" >&2; exit 1; }
fi
if [ ! -x "$node" ]; then
  (cd "$clients" && npm ci)
fi

"$node" "$script" pairs "$scratch/pairs"
for ((round = 1; round <= rounds; ++round)); do
  "$out/bin/bench_schema" "$scratch/pairs" >>"$scratch/tenon"
  "$node" "$script" measure "$scratch/pairs" >>"$scratch/ajv"
done

# field FILE KEY: the median over the rounds.
field() {
  sed "s/.*\"$2\":\([0-9.]*\).*/\1/" "$scratch/$1" | sort -g |
    awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}
yardstick=$(field tenon nlohmannNs)
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { print a / b }'; }
row() { # WHAT NANOSECONDS
  printf '%-36s %10.0f %8.2f\n' "$1" "$2" "$(ratio "$2" "$yardstick")"
}
echo "the arguments of $(field tenon pairs) tools, $(field tenon bytes) bytes each on average"
printf '%-36s %10s %8s\n' '' 'ns each' 'ratio'
row 'nlohmann::json::parse' "$yardstick"
row 'tenon: read' "$(field tenon readNs)"
row 'tenon: validate' "$(field tenon validateNs)"
row 'tenon: read and validate' "$(field tenon bothNs)"
row 'tenon: read, one tool again' "$(field tenon readAgainNs)"
row 'tenon: validate, one tool again' "$(field tenon validateAgainNs)"
row 'JSON.parse' "$(field ajv parseNs)"
row 'ajv: validate' "$(field ajv validateNs)"
row 'JSON.parse and ajv' "$(field ajv bothNs)"
allocations=$(field tenon allocations)
echo "to compile a schema: tenon $(ratio "$(field tenon compileNs)" 1000) us and" \
  "$(field tenon programBytes) bytes, ajv $(field ajv compileUs) us"
echo "allocations while all of them were validated: $allocations"

[ "$check" = yes ] || exit 0
failed=no
less() { # COST LIMIT
  awk -v a="$(field tenon "$1")" -v b="$(field tenon "$2")" 'BEGIN { exit !(a < b) }' || {
    echo "run.sh schema: $1 is $(field tenon "$1"); expected less than $2, $(field tenon "$2")" >&2
    failed=yes
  }
}
less validateNs nlohmannNs
less validateAgainNs readAgainNs
if [ "$allocations" != 0 ]; then
  echo "run.sh schema: $allocations allocations for valid arguments; expected none" >&2
  failed=yes
fi
[ "$failed" = no ] || exit 1
echo "fast enough: validating costs less than nlohmann's parsing and, warm, than reading;" \
  "it allocates nothing"
