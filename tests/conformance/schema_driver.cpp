// SPDX-License-Identifier: Apache-2.0
// The validator on lines, for tests that compare it with others. In:
//     {"schema":SCHEMA,"instances":[VALUE...],"formats":"assert"}      (formats may be absent)
// Out, a line each: {"valid":[true...],"issues":[["sentence"...]...]} or {"error":"..."}.
#include "json/document.h"
#include "json/writer.h"
#include "schema/schema.h"

#include <iostream>
#include <string>

namespace {

using namespace tenon;

std::string answer(const std::string &line) {
    json::ReadLimits readLimits;
    readLimits.depthMax = 1'000;
    auto read = json::Document::read(line, readLimits);
    if (!read) {
        return json::Writer().object().key("error").string(read.error().message).endObject().take();
    }
    const json::Value request = read->root();
    schema::Options options;
    options.formats = request["formats"].string() == "assert" ? schema::Formats::Assert
                                                              : schema::Formats::Annotate;
    const auto compiled = schema::Schema::compile(request["schema"], Limits(), options);
    if (!compiled) {
        const auto &message = compiled.error().message;
        return json::Writer().object().key("error").string(message).endObject().take();
    }
    json::Writer valid, issues;
    valid.array();
    issues.array();
    for (const json::Value instance : request["instances"].items()) {
        const auto found = (*compiled)->validate(instance, 3);
        valid.boolean(found.empty());
        issues.array();
        for (const auto &issue : found) {
            issues.string(issue.sentence());
        }
        issues.endArray();
    }
    return json::Writer()
        .object()
        .key("valid")
        .raw(valid.endArray().text())
        .key("issues")
        .raw(issues.endArray().text())
        .endObject()
        .take();
}

} // namespace

int main() {
    std::ios::sync_with_stdio(false);
    for (std::string line; std::getline(std::cin, line);) {
        std::cout << answer(line) << std::endl; // flushed: after a crash the count tells the line
    }
    return std::cout.good() ? 0 : 1;
}
