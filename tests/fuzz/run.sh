#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds the fuzz targets with clang and libFuzzer, and runs them by turns. From any folder:
#
#   sh tests/fuzz/run.sh [SECONDS [TARGET...]]      60 seconds each of all targets
#
# What was reached is kept in build/fuzz/corpus/TARGET and gone on from. An input that breaks a
# promise, a sanitizer or five seconds goes to build/fuzz/found/TARGET, and the exit code is 1.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
cd "$root"
seconds=${1:-60}
[ $# -eq 0 ] || shift
case $seconds in
  '' | *[!0-9]*)
    echo "usage: run.sh [SECONDS [TARGET...]]; seen \"$seconds\", expected a number" >&2
    exit 2
    ;;
esac
all=$(for folder in tests/fuzz/seeds/*/; do basename "$folder"; done)
# shellcheck disable=SC2086 # a list of words
[ $# -gt 0 ] || set -- $all
for target in "$@"; do
  if [ ! -d "tests/fuzz/seeds/$target" ]; then
    echo "run.sh: no target $target; expected one of" "$all" >&2
    exit 2
  fi
done

missing=
for package in clang-14 libclang-rt-14-dev cmake ninja-build; do
  dpkg -s "$package" >/dev/null 2>&1 || missing="$missing $package"
done
if [ -n "$missing" ]; then
  echo "installing:$missing"
  as_root=
  [ "$(id -u)" = 0 ] || as_root=sudo
  $as_root apt-get update -qq
  # shellcheck disable=SC2086 # a list of words
  DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends $missing
fi

mkdir -p build/fuzz
{
  cmake --preset fuzz
  # shellcheck disable=SC2046 # a list of words
  cmake --build --preset fuzz --target $(printf 'fuzz_%s ' "$@")
} >build/fuzz/build.log 2>&1 || {
  tail -50 build/fuzz/build.log >&2
  echo "run.sh: the build failed" >&2
  exit 1
}

failed=0
for target in "$@"; do
  corpus=build/fuzz/corpus/$target
  found=build/fuzz/found/$target
  mkdir -p "$corpus" "$found"
  dictionary=tests/fuzz/json.dict
  case $target in
    yaml_manifest) dictionary=tests/fuzz/yaml.dict ;;
    pattern) dictionary=tests/fuzz/pattern.dict ;;
  esac
  log=build/fuzz/$target.log
  if "build/fuzz/bin/fuzz_$target" -max_total_time="$seconds" -timeout=5 -rss_limit_mb=2048 \
    -max_len=8192 -dict="$dictionary" -artifact_prefix="$found/" -print_final_stats=1 \
    "$corpus" "tests/fuzz/seeds/$target" >"$log" 2>&1; then
    inputs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    echo "ok   $target: $inputs inputs, $(find "$corpus" -type f | wc -l) kept"
  else
    failed=1
    echo "FAIL $target; the end of $log:"
    grep -E 'does not hold|ERROR:|runtime error|SUMMARY' "$log" || :
    tail -5 "$log"
  fi
done
exit $failed
