// SPDX-License-Identifier: Apache-2.0
// Result<T>: a value, or the Error that says why there is none. For expected failures; exceptions
// are for bugs and third-party code.
#pragma once

#include <boost/system/result.hpp>

#include <string>
#include <utility>

namespace tenon {

// What an operator or an author reads: what was seen, what was expected, what to do.
struct Error {
    Error() = default;
    // Not an aggregate: a lone string must never be taken for an Error.
    Error(std::string stableCode, std::string sentence)
        : code(std::move(stableCode)), message(std::move(sentence)) {}

    std::string code;    // stable, lower case with dots: "plugin.not_found"
    std::string message; // one or two sentences
};

// value() of a failed Result is a bug; this is what it throws.
[[noreturn]] void throw_exception_from_error(const Error &error,
                                             const boost::source_location &where);

template <class T> using Result = boost::system::result<T, Error>;

} // namespace tenon
