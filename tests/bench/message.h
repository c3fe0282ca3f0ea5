// SPDX-License-Identifier: Apache-2.0
// The requests that are sent and what an answer must be.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tenon::bench {

enum class Form { Modern, Legacy }; // 2026-07-28 with its _meta, or after an initialize
enum class Expect { Answer, Line }; // a tools/call result, or the very line that was sent

class Messages {
public:
    Messages(Form form, Expect expect, std::size_t textBytes);

    // Appends the request with that id and its end of line. The text to echo holds the id too, so
    // that an answer that belongs to another request is seen.
    void appendRequest(std::string &out, std::uint64_t id) const;

    // The id of an answer, if it has one.
    static std::optional<std::uint64_t> idOf(std::string_view line);
    // What is wrong with the answer to id; empty when it is right.
    std::string faultOf(std::string_view line, std::uint64_t id) const;

    static std::string initialize();  // with its end of line
    static std::string initialized(); // the notification that follows
    static std::string faultOfInitialize(std::string_view line);

private:
    std::string textOf(std::uint64_t id) const;

    Expect expect_;
    std::size_t textBytes_;
    std::string tail_; // what follows the text
};

} // namespace tenon::bench
