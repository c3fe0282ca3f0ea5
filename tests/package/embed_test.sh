#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What an embedder does: builds the example as a project of its own, runs it beside a plugin, and
# reads its audit. Usage: sh tests/package/embed_test.sh BUILD_DIR
set -eu

fail() {
  echo "embed_test.sh: $1" >&2
  exit 1
}

[ $# = 1 ] || fail "usage: sh tests/package/embed_test.sh BUILD_DIR"
build=$(cd "$1" 2>/dev/null && pwd) || fail "there is no folder $1; expected a build folder"
root=$(cd "$(dirname "$0")/../.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

cmake -S "$root/examples/embed" -B "$scratch/build" -G Ninja -DCMAKE_BUILD_TYPE=Release \
  >"$scratch/log" 2>&1 && cmake --build "$scratch/build" >>"$scratch/log" 2>&1 || {
  tail -n 40 "$scratch/log" >&2
  fail "examples/embed does not build by itself"
}
echo "ok examples/embed builds by itself"

"$scratch/build/embed" "$build/plugins/everyday.so" "$scratch/audit.jsonl" >"$scratch/out" ||
  fail "it failed: $(cat "$scratch/out")"
# has WORDS: a line of its output has them.
has() {
  grep -qF "$1" "$scratch/out" || fail "its output is $(cat "$scratch/out"); expected $1"
  echo "ok it prints $1"
}
has 'stock: {"count":120}'
has 'stock: {"error":"NOT_FOUND"'
has '"_hint":"Parts: bolts, nuts."'
has 'unit_convert: {"value":3.1068559611866697'
has '"missingScopes":["warehouse"]'

outcomes=$("$build/bin/tenon" audit --json "$scratch/audit.jsonl" |
  sed 's/.*"toolName":"\([a-z_]*\)".*"outcome":"\([a-z]*\)".*"userId":"\([a-z]*\)".*/\1 \2 \3/' |
  tr '\n' ',')
expected="stock ok ada,stock failed ada,unit_convert ok ada,stock forbidden bob,"
[ "$outcomes" = "$expected" ] || fail "its audit has $outcomes; expected $expected"
echo "ok its audit has $outcomes"
