// SPDX-License-Identifier: Apache-2.0
// JSON Schema 2020-12 and draft-07: compiled once into a flat program, run per value without
// allocating while the value is valid. README.md has the keywords and what is decided about them.
#pragma once

#include "json/document.h"
#include "support/limits.h"
#include "support/result.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tenon::schema {

// One reason why a value is not what the schema asks for.
struct Issue {
    std::string path;     // JSON Pointer into the value, "" for the whole
    std::string keyword;  // the schema keyword that refused
    std::string expected; // in words
    std::string found;    // in words; quotes a short value
    std::string kind;     // in words, the type alone: for readers who may not see the value
    std::string shape;    // path with * for keys that are not the schema's: for the same readers

    // "/limit: expected an integer, found the string "ten"".
    std::string sentence() const;
};

enum class Formats { Annotate, Assert };
// Keys that no keyword of an object's schema evaluates, where it names properties and does not
// speak of others. Drop is for results: prepare() leaves them out.
enum class UnknownKeys { Allow, Refuse, Drop };

struct Options {
    Formats formats = Formats::Annotate;
    UnknownKeys unknownKeys = UnknownKeys::Allow;
    // What prepare() may do.
    bool mend = true;         // anything at all to what is not valid
    bool coerce = true;       // read strings as JSON
    bool fillDefaults = true; // give absent keys their defaults
    // Documents that $ref and $schema may name, by URI without "#". Nothing else is ever read.
    std::map<std::string, std::string> documents;
};

// What was done to a value to make it fit.
struct Change {
    std::string path; // JSON Pointer, "" for the whole
    std::string what; // in words: "read from a string as object"
};

// A value made to fit, where that loses nothing.
struct Prepared {
    json::Document document;     // holds the new text; empty when nothing was changed
    std::vector<Change> changes; // in no order
    std::vector<Issue> issues;   // why the value is refused all the same; none: it is valid
};

struct Program; // the compiled form, see program.h

class Schema {
public:
    // Compiles a schema (an object or a boolean). The error names each problem with its place in
    // the schema. The result is immutable and thread-safe.
    static Result<std::shared_ptr<const Schema>> compile(json::Value schema, const Limits &limits,
                                                         const Options &options = {});
    ~Schema();
    Schema(const Schema &) = delete;
    Schema &operator=(const Schema &) = delete;

    // Every reason, at most issuesMax of them; none means valid. Costs at most
    // limits.validationStepsMax steps; a value that needs more is refused with an issue saying so.
    std::vector<Issue> validate(json::Value value, std::size_t issuesMax = 20) const;

    // Validates what a model sent, mended first where its meaning is beyond doubt: a string where
    // only other types are taken is read as JSON; null for an optional key that does not take it is
    // dropped; absent keys get their defaults. A value that is valid and needs no default is left
    // as it is, byte for byte.
    Prepared prepare(json::Value value, std::size_t issuesMax = 20) const;

    // What was noticed while compiling and is no error: a default that its own schema refuses.
    const std::vector<std::string> &notes() const;

private:
    Schema(std::unique_ptr<Program> program, const Limits &limits, const Options &options);

    std::unique_ptr<Program> program_;
    std::uint64_t stepsMax_;
    std::size_t bytesMax_; // of a prepared value
    std::uint32_t depthMax_;
    bool mends_, coerce_, fillDefaults_;
};

} // namespace tenon::schema
