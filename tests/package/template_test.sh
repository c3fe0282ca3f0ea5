#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What an author does, from an installed SDK alone: builds the template and the plugins of the
# guides, and calls their tools. Usage: sh tests/package/template_test.sh BUILD_DIR
set -eu

fail() {
  echo "template_test.sh: $1" >&2
  exit 1
}

[ $# = 1 ] || fail "usage: sh tests/package/template_test.sh BUILD_DIR"
build=$(cd "$1" 2>/dev/null && pwd) || fail "there is no folder $1; expected a build folder"
root=$(cd "$(dirname "$0")/../.." && pwd)
tenon=$build/bin/tenon
for file in "$tenon" "$build/plugins/everyday.so" "$build/tests/fixtures/echo.so"; do
  [ -f "$file" ] || fail "there is no $file; build it first, with -DBUILD_TESTING=ON"
done
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
prefix=$scratch/prefix
export CFLAGS="-Wall -Wextra -Wpedantic -Werror"
export CXXFLAGS="$CFLAGS -Wconversion"

# quietly WHAT COMMAND...: its output is shown only when it fails.
quietly() {
  what=$1
  shift
  "$@" </dev/null >"$scratch/log" 2>&1 || {
    tail -n 40 "$scratch/log" >&2
    fail "$what failed: $*"
  }
  echo "ok $what"
}

# calls WHAT EXPECTED WORDS...: tenon call with these words must answer so.
calls() {
  what=$1 expected=$2
  shift 2
  seen=$("$tenon" call --isolation none "$@" 2>"$scratch/log") || {
    cat "$scratch/log" >&2
    fail "$what: the call failed: tenon call --isolation none $*"
  }
  [ "$seen" = "$expected" ] || fail "$what answered $seen; expected $expected"
  echo "ok $what answers $seen"
}

# exports_one FILE: the entry, and nothing else.
exports_one() {
  seen=$(nm -D --defined-only "$1" | awk '{ print $NF }')
  [ "$seen" = tenon_plugin_v1 ] ||
    fail "$1 exports $(echo "$seen" | tr '\n' ' '); expected tenon_plugin_v1 alone"
  echo "ok ${1##*/} exports tenon_plugin_v1 alone"
}

# example LANGUAGE PAGE: the page's one block of code in that language.
example() {
  blocks=$(grep -c "^\`\`\`$1\$" "$root/$2") || true
  [ "$blocks" = 1 ] || fail "$2 has $blocks blocks of $1; expected one, a whole plugin"
  sed -n "/^\`\`\`$1\$/,/^\`\`\`\$/p" "$root/$2" | sed '/^```/d'
}

quietly "the SDK installs" cmake --install "$build" --component sdk --prefix "$prefix"
for file in "$prefix"/bin "$prefix"/sbin; do
  [ ! -e "$file" ] || fail "the SDK installed $file; expected no programs"
done

cp -R "$prefix/share/tenon/template" "$scratch/template"
cd "$scratch/template"
quietly "the template configures" cmake -B build "-DCMAKE_PREFIX_PATH=$prefix"
quietly "the template builds" cmake --build build
exports_one ./build/weekday.so
calls "the template's tool" '{"weekday":"Thursday","dayOfYear":358}' \
  ./build/weekday.so weekday --date 2026-12-24
if "$tenon" call --isolation none build/weekday.so weekday 2026-02-30 2>"$scratch/log"; then
  fail "the template's tool took 2026-02-30; expected a refusal"
fi
grep -q '"error":"BAD_REQUEST".*"_hint":' "$scratch/log" ||
  fail "the template's refusal is $(cat "$scratch/log"); expected BAD_REQUEST with a hint"
echo "ok the template's tool refuses 2026-02-30 with a hint"

mkdir "$scratch/guides"
cd "$scratch/guides"
example cpp README.md >greet.cpp
example c sdk/README.md >same.c
cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.25)
project(guides LANGUAGES C CXX)
find_package(tenon-sdk REQUIRED)
tenon_add_plugin(greet SOURCES greet.cpp)
tenon_add_plugin(same SOURCES same.c)
END
quietly "the guides' plugins configure" cmake -B build "-DCMAKE_PREFIX_PATH=$prefix"
quietly "the guides' plugins build" cmake --build build
calls "README.md's plugin" 'Hello, Ada' ./build/greet.so greet --name Ada
calls "sdk/README.md's plugin in C" '{"a":1.50}' ./build/same.so same --args '{"a":1.50}'
exports_one ./build/same.so

exports_one "$build/tests/fixtures/echo.so"
exports_one "$build/plugins/everyday.so"
