// SPDX-License-Identifier: Apache-2.0
// JSON Schema 2020-12: compiled once into a flat program, run per value without allocating while
// the value is valid.
//
// Keywords of the subset that is compiled today: see README.md. A keyword that would change what is
// accepted and is not compiled yet is a load error that names it, never silence.
#pragma once

#include "json/document.h"
#include "support/limits.h"
#include "support/result.h"

#include <memory>
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

struct Program; // the compiled form, see program.h

class Schema {
public:
    // Compiles a schema (an object or a boolean). Thread-safe to use afterwards.
    static Result<std::shared_ptr<const Schema>> compile(json::Value schema, const Limits &limits);
    ~Schema();
    Schema(const Schema &) = delete;
    Schema &operator=(const Schema &) = delete;

    // Every reason, at most issuesMax of them; none means valid. Costs at most
    // limits.validationStepsMax steps; a value that needs more is refused with an issue saying so.
    std::vector<Issue> validate(json::Value value, std::size_t issuesMax = 20) const;

private:
    Schema(std::unique_ptr<Program> program, const Limits &limits);

    std::unique_ptr<Program> program_;
    std::uint64_t stepsMax_;
};

} // namespace tenon::schema
