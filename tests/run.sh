#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs what the tests need, builds, and runs every test but the long ones. From any folder:
#
#   sh tests/run.sh            all of it
#   sh tests/run.sh STEP...    some: release unit template clients tidy asan tsan
#
# The last line says how many steps passed and failed.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
cd "$root"
logs=$root/build/logs
mkdir -p "$logs"

packages='g++ gcc make cmake ninja-build ccache binutils git tzdata ca-certificates util-linux mount
  libboost1.81-dev libyaml-cpp-dev libspdlog-dev libfmt-dev libcli11-dev libmd-dev libre2-dev
  libpcre2-dev libsqlite3-dev libhowardhinnant-date-dev catch2 libbenchmark-dev nlohmann-json3-dev'

install_packages() {
  missing=
  for package in $packages; do
    dpkg -s "$package" >/dev/null 2>&1 || missing="$missing $package"
  done
  command -v npm >/dev/null 2>&1 || missing="$missing npm"
  [ -n "$missing" ] || return 0
  echo "installing:$missing"
  as_root=
  [ "$(id -u)" = 0 ] || as_root=sudo
  $as_root apt-get update -qq
  # shellcheck disable=SC2086 # a list of words
  DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends $missing
}

build() { # PRESET TARGET...
  preset=$1
  shift
  cmake --preset "$preset" -DBUILD_TESTING=ON
  cmake --build --preset "$preset" "$@"
}

step_release() { build release; }
step_unit() { ctest --preset release; }
step_template() {
  sh tests/package/template_test.sh "$root/build/release"
  sh tests/package/embed_test.sh "$root/build/release"
}
step_clients() {
  (cd tests/clients && npm ci --no-audit --no-fund)
  tests/clients/node_modules/node/bin/node --test tests/conformance/*_test.mjs \
    tests/clients/*_test.mjs tests/bench/*_test.mjs
}
step_tidy() { tests/clients/node_modules/node/bin/node --test tests/tidy/tidy_test.mjs; }
step_asan() {
  build asan --target tenon_unit_tests
  ASAN_OPTIONS=detect_leaks=1 UBSAN_OPTIONS=print_stacktrace=1 build/asan/bin/tenon_unit_tests
}
step_tsan() {
  build tsan --target tenon_thread_tests
  build/tsan/bin/tenon_thread_tests
}

passed=0
failed=0
run() {
  started=$(date +%s)
  # A subshell with -e of its own: in a condition the shell would not stop at the first failure.
  set +e
  (set -e && "step_$1") >"$logs/$1.log" 2>&1
  status=$?
  set -e
  took=$(($(date +%s) - started))
  if [ "$status" = 0 ]; then
    passed=$((passed + 1))
    echo "ok   $1 (${took} s)"
    grep -E '^(All tests passed|# pass |100% tests passed)' "$logs/$1.log" | sed 's/^/     /'
  else
    failed=$((failed + 1))
    echo "FAIL $1 (${took} s); the end of $logs/$1.log:"
    grep -nE '(^not ok|FAILED|error:|ERROR: |WARNING: Thread)' "$logs/$1.log" | head -40 || :
    tail -60 "$logs/$1.log"
  fi
}

install_packages
[ $# -gt 0 ] || set -- release unit clients template tidy asan tsan
for step in "$@"; do
  run "$step"
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
