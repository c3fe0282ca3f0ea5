#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Builds and measures: see README.md. --check fails unless Tenon is fast enough.
set -euo pipefail

if [ "${1:-}" = schema ]; then # validation alone
  shift
  exec "$(dirname "$0")/schema_bench.sh" "$@"
fi
if [ "${1:-}" = runner ]; then # one call inside the runner
  shift
  exec "$(dirname "$0")/runner_bench.sh" "$@"
fi
usage="usage: run.sh [--check] [--rounds N] [--no-build] [--no-sdk]
       run.sh schema [--check] [--rounds N] [--no-build]
       run.sh runner [--check] [--rounds N] [--no-build]
  --check     Tenon against the floor alone; exit 1 below the limits in this file
  --rounds N  how often everything is measured (5)
  --no-build  measure what is built already
  --no-sdk    leave the TypeScript SDK servers out"

# The least that --check takes: parts of the floor's throughput, milliseconds over /bin/true.
depth1Min=0.80
depth32Min=0.15
startupMaxMs=5

check=no rounds=5 build=yes sdk=yes
while [ $# -gt 0 ]; do
  case $1 in
    --check) check=yes sdk=no ;;
    --rounds) rounds=${2:?"$usage"}; shift ;;
    --no-build) build=no ;;
    --no-sdk) sdk=no ;;
    *) echo "run.sh: unknown option $1" >&2; echo "$usage" >&2; exit 2 ;;
  esac
  shift
done

root=$(cd "$(dirname "$0")/../.." && pwd)
out=${TENON_BUILD:-$root/build/release} # where --no-build finds it
clients=$root/tests/clients
node=$clients/node_modules/node/bin/node
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

if [ "$build" = yes ]; then
  (cd "$root" && cmake --preset release -DBUILD_TESTING=ON &&
    cmake --build --preset release --target tenon bench_load bench_floor bench_startup \
      echo everyday) >"$scratch/build.log" 2>&1 ||
    { tail -50 "$scratch/build.log" >&2; echo "run.sh: the build failed" >&2; exit 1; }
fi
if [ "$sdk" = yes ] && [ ! -x "$node" ]; then
  (cd "$clients" && npm ci)
fi

# What `serve` keeps by default goes here, and not to whoever measures.
export XDG_STATE_HOME=$scratch/state XDG_RUNTIME_DIR=$scratch/run
mkdir -m 700 "$XDG_RUNTIME_DIR"

tenon=("$out/bin/tenon" serve --stdio --isolation none "$out/tests/fixtures/echo.so")
printf 'tenon: 1\nplugins: [{path: %s, isolation: none}]\naudit: off\n' \
  "$out/tests/fixtures/echo.so" >"$scratch/unaudited.yaml"
unaudited=("$out/bin/tenon" serve --stdio --manifest "$scratch/unaudited.yaml")
call=("$out/bin/tenon" call --isolation none "$out/tests/fixtures/echo.so" echo --text hi)

# load NAME DEPTH PLACE: one run of that server; its JSON is appended to a file.
load() {
  local name=$1 depth=$2 place=$3 count=20000 options=() command=()
  [ "$depth" = 1 ] || count=100000
  case $name in
    floor) options=(--expect line) command=("$out/bin/bench_floor") ;;
    tenon) command=("${tenon[@]}") ;;
    tenon-unaudited) command=("${unaudited[@]}") ;;
    tenon-legacy) options=(--send legacy) command=("${tenon[@]}") ;;
    sdk-2) count=5000 command=("$node" "$clients/bench_server_v2.mjs") ;;
    sdk-1) count=5000 options=(--send legacy) command=("$node" "$clients/bench_server_v1.mjs") ;;
  esac
  "$out/bin/bench_load" --json --depth "$depth" --place "$place" --count "$count" \
    "${options[@]}" -- "${command[@]}" 2>"$scratch/stderr" >>"$scratch/$name.$depth.$place" ||
    { cat "$scratch/stderr" >&2; exit 1; }
}

# field NAME.DEPTH.PLACE KEY: the numbers under that key, one a line, in the order of the rounds.
field() { sed "s/.*\"$2\":\([0-9.]*\).*/\1/" "$scratch/$1"; }
median() { sort -g | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }
# ratio NAME DEPTH.PLACE: the median of the rounds' ratios to the floor.
ratio() {
  paste <(field "$1.$2" perSecond) <(field "floor.$2" perSecond) |
    awk '{ printf "%.4f\n", $1 / $2 }' | median
}
below() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a < b) }'; }

settings=(1.apart 1.together 32.apart)
servers=(floor tenon tenon-unaudited tenon-legacy)
[ "$sdk" = no ] || servers+=(sdk-2 sdk-1)
for ((round = 1; round <= rounds; ++round)); do
  order=("${servers[@]}")
  if ((round % 2 == 0)); then
    order=()
    for name in "${servers[@]}"; do order=("$name" "${order[@]}"); done
  fi
  for setting in "${settings[@]}"; do
    for name in "${order[@]}"; do load "$name" "${setting%.*}" "${setting#*.}"; done
  done
done

printf '%-15s %-11s %11s %8s %10s %10s %10s %10s %6s\n' \
  server depth 'a second' 'of floor' 'median us' 'p99 us' 'first ms' 'peak KiB' 'load'
for setting in "${settings[@]}"; do
  for name in "${servers[@]}"; do
    of=$name.$setting
    printf '%-15s %-11s %11.0f %8.3f %10.1f %10.1f %10.1f %10d %6.2f\n' "$name" \
      "${setting/./ }" "$(field "$of" perSecond | median)" "$(ratio "$name" "$setting")" \
      "$(field "$of" p50Us | median)" "$(field "$of" p99Us | median)" \
      "$(field "$of" startMs | median)" "$(field "$of" peakRssKib | sort -g | tail -1)" \
      "$(field "$of" generatorCpu | median)"
  done
done

"$out/bin/bench_startup" --runs $((rounds * 40)) --expect hi -- "${call[@]}" \
  2>"$scratch/stderr" >"$scratch/startup" || { cat "$scratch/stderr" >&2; exit 1; }
startup=$(field startup differenceMs)
echo "tenon call, start to end: $(field startup commandMs) ms," \
  "/bin/true $(field startup againstMs) ms, median difference $startup ms"

[ "$check" = yes ] || exit 0
failed=no
for limit in "1 $depth1Min" "32 $depth32Min"; do
  read -r depth least <<<"$limit"
  seen=$(ratio tenon "$depth.apart")
  if below "$seen" "$least"; then
    echo "run.sh: at depth $depth tenon reaches $seen of the floor; expected at least $least" >&2
    failed=yes
  fi
done
if ! below "$startup" "$startupMaxMs"; then
  echo "run.sh: tenon call takes $startup ms more than /bin/true;" \
    "expected less than $startupMaxMs ms" >&2
  failed=yes
fi
if [ "$failed" = yes ]; then
  echo "run.sh: is the machine busy? Measure again when it is idle" >&2
  exit 1
fi
echo "fast enough: depth 1 >= $depth1Min, depth 32 >= $depth32Min, start-up < $startupMaxMs ms"
