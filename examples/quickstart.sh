#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing (Debian 12), builds Tenon, and calls one tool through its three doors:
# MCP, agent, command line. Fails unless the three give the same result and the audit has the call.
set -eu

packages="g++ cmake ninja-build libboost1.81-dev libfmt-dev libspdlog-dev libcli11-dev
  libmd-dev libre2-dev libpcre2-dev libsqlite3-dev libyaml-cpp-dev libhowardhinnant-date-dev
  tzdata"

cd "$(dirname "$0")/.."
log=$(mktemp)
trap 'rm -f "$log"' EXIT

fail() {
  echo "quickstart.sh: $1" >&2
  exit 1
}

# quietly WHAT COMMAND...: its output is shown only when it fails.
quietly() {
  what=$1
  shift
  echo "$what ..."
  "$@" </dev/null >"$log" 2>&1 || {
    tail -n 40 "$log" >&2
    fail "this failed: $*"
  }
}

as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  else
    sudo "$@"
  fi
}

missing=""
for package in $packages; do
  dpkg -s "$package" 2>/dev/null | grep -q '^Status: install ok installed' ||
    missing="$missing $package"
done
if [ -n "$missing" ]; then
  command -v apt-get >/dev/null || fail "there is no apt-get; install these, as Debian 12 calls \
them:$missing"
  [ "$(id -u)" = 0 ] || command -v sudo >/dev/null || fail "run this as root, or install sudo: \
these packages are missing:$missing"
  quietly "Reading the lists of packages" as_root apt-get update
  # shellcheck disable=SC2086 # one word a package
  quietly "Installing$missing" as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y --no-install-recommends $missing
fi

quietly "Configuring build/release" cmake --preset release -DBUILD_TESTING=OFF
quietly "Building (a few minutes the first time)" \
  cmake --build build/release --target tenon everyday

tenon=build/release/bin/tenon
plugin=build/release/plugins/everyday.so
arguments='{"value":5,"from":"km","to":"mi"}'
XDG_STATE_HOME=$PWD/build/quickstart # where the server keeps its audit: not at your home, here
export XDG_STATE_HOME
rm -rf "$XDG_STATE_HOME"

echo
echo "1. An MCP client sends one line to: $tenon serve --stdio --isolation none $plugin"
request='{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"unit_convert","arguments":'
request=$request$arguments',"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",'
request=$request'"io.modelcontextprotocol/clientCapabilities":{}}}}'
answer=$(printf '%s\n' "$request" |
  "$tenon" serve --stdio --isolation none --log-level warning "$plugin")
mcp=$(printf '%s\n' "$answer" | sed -n 's/.*"structuredContent":\({.*}\),"_meta":.*/\1/p')
echo "   $mcp"

echo "2. An agent's program gives a call to: $tenon agent execute --isolation none $plugin"
calls='{"calls":[{"type":"tool_use","id":"call_1","name":"unit_convert","input":'$arguments'}]}'
answer=$(printf '%s\n' "$calls" | "$tenon" agent execute --isolation none "$plugin")
agent=$(printf '%s\n' "$answer" |
  sed -n 's/.*"content":\[{"type":"text","text":"\(.*\)"}\]}\]}$/\1/p' | sed 's/\\"/"/g')
echo "   $agent"

echo "3. On the command line: $tenon call --isolation none $plugin unit_convert --value 5" \
  "--from km --to mi"
cli=$("$tenon" call --isolation none "$plugin" unit_convert --value 5 --from km --to mi)
echo "   $cli"

echo "4. Its operator looks at what the server did: $tenon audit tail"
audit=$("$tenon" audit tail)
echo "   $audit"

[ -n "$cli" ] || fail "the command line gave no result"
[ "$mcp" = "$cli" ] || fail "MCP and the command line gave different results"
[ "$agent" = "$cli" ] || fail "the agent door and the command line gave different results"

case $audit in
  *" ok "*unit_convert*) ;;
  *) fail "the audit does not tell of the call" ;;
esac

cat <<END

The same result three times, and a row of the audit. What to do next:
  manifests/README.md   serve several plugins with one file
  sdk/README.md         write a plugin; sdk/template is one to copy
  sh tests/run.sh       run the tests
The other tools:
  $tenon list --isolation none $plugin
An MCP client starts the server with this command:
  $PWD/$tenon serve --stdio --isolation none $PWD/$plugin
END
