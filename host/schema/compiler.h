// SPDX-License-Identifier: Apache-2.0
// Schema text -> Program. Subschemas are compiled from a work list, so that nesting and cycles of
// $ref cost no stack. What is derived from the whole program afterwards: finish.cpp. Private to
// this folder.
#pragma once

#include "schema/documents.h"
#include "schema/program.h"
#include "schema/schema.h"

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace tenon::schema {

class Compiler {
public:
    Compiler(Program &program, const Limits &limits, const Options &options)
        : program_(program), limits_(limits), options_(options),
          documents_(program.texts, limits, options) {}

    Result<void> run(std::string_view text);

private:
    // Where a subschema is applied: to a value of its own, to one that others judge as well, or
    // only to ask ("not", "if", "contains", and all below): there the policy for unknown keys is
    // silent.
    enum class Applied { Alone, InPlace, Asking };
    Applied alone() const { return applied_ == Applied::Asking ? applied_ : Applied::Alone; }
    Applied inPlace() const { return applied_ == Applied::Asking ? applied_ : Applied::InPlace; }

    void fail(std::string_view message);
    void failKeyword(std::string_view keyword, std::string_view expected, json::Value found);

    // The node of a subschema; the same one is compiled once for each way of being applied.
    NodeIndex node(const Location &at, Applied applied);
    NodeIndex node(json::Value child, Applied applied) {
        return node(documents_.below(at_, child), applied);
    }
    NodeIndex nodeUnder(std::string_view keyword, Applied applied) {
        const json::Value value = at_.value[keyword];
        return value ? node(value, applied) : kNone;
    }
    void compile(NodeIndex index);
    void object();
    void definitions();
    void references();
    void dynamicReference(json::Value ref);
    void dynamicTargets();
    void olderKeywords();
    void unevaluated();
    void close();

    // keywords.cpp: a function for each family.
    void types();
    void values();
    bool readAsOfDraft04(std::string_view keyword, json::Value bound);
    void numbers();
    std::uint64_t count(std::string_view keyword, std::uint64_t fallback);
    void counted(std::string_view keyword, OpCode code);
    void strings();
    std::uint32_t pattern(std::string_view source);
    void format();
    void arrays();
    void contains();
    void objects();
    NodeIndex anything();
    void dependents();
    void applicators();
    json::Members membersOf(std::string_view keyword);
    std::vector<std::string_view> strings(std::string_view keyword, json::Value list);
    template <class Fill> void addRun(OpCode code, Fill fill);
    void add(Op op) { program_.ops.push_back(op); }
    bool has(Vocabulary vocabulary) const { return dialect_.has(vocabulary); }

    struct Pending {
        NodeIndex node;
        Location at;
        Applied applied;
    };

    Program &program_;
    const Limits &limits_;
    const Options &options_;
    Documents documents_;
    std::vector<std::string> problems_;
    std::vector<Pending> pending_;
    std::unordered_map<std::uint64_t, NodeIndex> nodeOf_[3];      // by Applied and Location::key()
    std::map<std::string, std::uint32_t, std::less<>> dynamicOf_; // index into dynamics, by name
    std::unordered_map<std::string_view, std::uint32_t> patternOf_;
    std::size_t patternWeight_ = 0;
    std::unordered_set<std::uint64_t> locations_; // by Location::key()
    NodeIndex anything_ = kNone;
    // What is compiled at present:
    Location at_;
    Dialect dialect_;
    Applied applied_ = Applied::Alone;
};

} // namespace tenon::schema
