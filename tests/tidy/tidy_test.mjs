// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { edges, includesOf, longFiles, rules } from "./rules.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const tracked = execFileSync("git", ["-C", root, "ls-files", "-co", "--exclude-standard"], {
  encoding: "utf8",
}).split("\n").filter((path) => path && existsSync(join(root, path)));
const ours = tracked.filter(
  (path) => !path.startsWith("tests/data/") && !path.startsWith("tests/fuzz/seeds/") &&
    !path.endsWith("package-lock.json") &&
    !/^(LICENSE|\.gitignore|\.clang-|\.npmrc|.*\/\.npmrc)/.test(path) &&
    !path.endsWith("exports.map"),
);
const read = (path) => readFileSync(join(root, path), "utf8");

for (const rule of rules) {
  test(`${rule.name} finds nothing in the tree`, () => {
    const problems = ours.flatMap((path) => rule(path, read(path)));
    assert.deepEqual(problems, [], `\n${problems.join("\n")}`);
  });
}

test("the top level is as it is drawn", () => {
  const top = new Set(ours.map((path) => path.split("/")[0]).filter((name) => name[0] !== "."));
  const drawn = ["README.md", "CMakeLists.txt", "CMakePresets.json", "sdk", "host", "plugins",
    "manifests", "tests", "examples"];
  assert.deepEqual([...top].filter((name) => !drawn.includes(name)), []);
});

test("every source is built and every header is included", () => {
  const cmake = tracked.filter((path) => /CMakeLists\.txt$/.test(path));
  const globbed = /^tests\/unit\/.*_test\.cpp$/;
  const dead = [];
  const included = new Set();
  for (const path of ours.filter((name) => /\.(h|hpp|c|cpp)$/.test(name))) {
    for (const include of includesOf(read(path))) {
      included.add(posix.basename(include));
    }
  }
  for (const path of ours) {
    if (/\.(c|cpp)$/.test(path) && !globbed.test(path)) {
      const built = cmake.some((file) => {
        const folder = posix.dirname(file);
        const inside = folder === "." ? path : path.startsWith(`${folder}/`) &&
          path.slice(folder.length + 1);
        return inside && read(file).includes(inside);
      });
      if (!built) dead.push(`${path}: no CMakeLists.txt names it`);
    }
    if (/\.(h|hpp)$/.test(path) && !included.has(posix.basename(path)) && path !== "host/tenon.h") {
      dead.push(`${path}: nothing includes it`);
    }
  }
  assert.deepEqual(dead, [], `\n${dead.join("\n")}`);
});

test("every folder of the tree has a README that names its sources' folders", () => {
  for (const folder of ["sdk", "host", "plugins", "manifests", "tests", "examples",
    ...Object.keys(edges).map((name) => `host/${name.split("/")[0]}`)]) {
    const has = ours.some(
      (path) => path.startsWith(`${folder}/`) && /\.(cpp|h|sh|yaml)$/.test(path),
    );
    assert.ok(!has || existsSync(join(root, folder, "README.md")), `${folder} has no README.md`);
  }
});

test("what the rules are there to find, they find", () => {
  const finds = (name, path, text) => {
    const rule = rules.find((one) => one.name === name);
    assert.notDeepEqual(rule(path, text), [], `${name} is blind to ${JSON.stringify(text)}`);
  };
  finds("checkEdges", "host/json/x.cpp", '#include "runner/runner.h"\n');
  finds("checkEdges", "host/frontends/mcp/x.cpp", '#include "frontends/cli/cli.h"\n');
  finds("checkEdges", "host/runner/x.cpp", "#include <tenon/abi.h>\n");
  finds("checkFences", "host/runner/x.cpp", "#include <yaml-cpp/yaml.h>\n");
  finds("checkFences", "host/app/x.cpp", "#include <spdlog/spdlog.h>\n");
  finds("checkShape", "host/json/x.cpp", "int x;\n");
  const spdx = "// SPDX-License-Identifier: Apache-2.0\n";
  finds("checkShape", "host/json/x.cpp", `${spdx}${"x".repeat(101)}\n`);
  finds("checkShape", "host/json/x.cpp", `${spdx}\tint x;\n`);
  finds("checkLength", "host/json/x.cpp", "\n".repeat(500));
  finds("checkLength", Object.keys(longFiles)[0], "\n");
  finds("checkFunctions", "host/json/x.cpp", `void f(int x) {\n${"    x;\n".repeat(80)}}\n`);
  finds("checkWords", "host/json/x.cpp", "// TODO: later\n");
});
