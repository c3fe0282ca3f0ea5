// SPDX-License-Identifier: Apache-2.0
// What a call ends with, whoever made it.
#pragma once

#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tenon {

// A refusal that a caller is meant to read. Throw it from a hook, a lifecycle step or an in-process
// tool; a plugin's ToolError arrives as one. Everything in it reaches the caller.
struct AppError : std::exception {
    AppError(std::string errorCode, std::string sentence)
        : code(std::move(errorCode)), message(std::move(sentence)) {}
    const char *what() const noexcept override { return message.c_str(); }

    std::string code;    // ^[A-Z][A-Z0-9_]{2,63}$
    std::string message; // what was seen, what was expected
    int status = 0;      // an HTTP status; 0: the code table's, 500 for codes it does not have
    std::string details; // a JSON object, any other JSON value, or ""
    std::string hint;    // what to do next, or ""
    std::optional<bool> retryable;
};

// A failure that nobody foresaw: an exception's type and text, a worker's death. For the log, the
// hooks and the audit; never for the caller.
struct RawCause {
    std::string type;
    std::string message;
    std::exception_ptr exception = nullptr; // where it was thrown in this process's own C++
    std::string_view where = "handler";     // the part of the call that failed (ThrowSite)
    bool crashed = false; // what ran the call has died: type says of what (a signal, an exit code)
};

struct ContentBlock {
    enum class Type { Text, Image, Audio, Resource, Link };
    Type type = Type::Text;
    std::string text;
    std::string data;    // raw bytes
    bool binary = false; // a Resource of data, not of text
    std::string mimeType, uri, name, title, description;
    std::string annotations, meta; // JSON objects or ""

    std::size_t bytes() const {
        return text.size() + data.size() + mimeType.size() + uri.size() + name.size() +
               title.size() + description.size() + annotations.size() + meta.size();
    }
};

// The handler's answer when it went well: one JSON value, content blocks, both, or neither.
struct Output {
    std::string data; // JSON, or "" when there is none
    std::vector<ContentBlock> content;
    std::size_t overflow = 0; // size at which it passed the result ceiling and was cut; 0: whole

    std::size_t bytes() const {
        std::size_t sum = data.size();
        for (const auto &block : content) {
            sum += block.bytes();
        }
        return sum;
    }
};

// Questions that must be answered before the handler can run; it is then invoked again.
struct InputRequired {
    struct Request {
        std::string key, method, params; // params: a JSON object
    };
    std::vector<Request> requests;
    std::string state; // opaque
};

// What a handler ends with.
using HandlerOutcome = std::variant<Output, AppError, RawCause, InputRequired>;

// What a caller gets: never a RawCause.
using ToolResult = std::variant<Output, AppError, InputRequired>;

} // namespace tenon
