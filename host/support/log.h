// SPDX-License-Identifier: Apache-2.0
// The operator's log: to stderr, never to stdout, and never to a caller.
#pragma once

#include "support/masker.h"

#include <memory>
#include <string_view>

namespace tenon {

enum class LogLevel { Debug, Info, Warning, Error, Off };

// Reads "debug", "info", "warning", "error" or "off"; false for any other word.
bool parseLogLevel(std::string_view word, LogLevel &out);

// Thread-safe. Every message is masked (masker.h), made printable and capped, and is one line.
// (spdlog, hidden.)
class Log {
public:
    explicit Log(LogLevel level);
    ~Log();
    Log(const Log &) = delete;
    Log &operator=(const Log &) = delete;

    void debug(std::string_view message) { write(LogLevel::Debug, message); }
    void info(std::string_view message) { write(LogLevel::Info, message); }
    void warning(std::string_view message) { write(LogLevel::Warning, message); }
    void error(std::string_view message) { write(LogLevel::Error, message); }
    void write(LogLevel level, std::string_view message);
    // From now on masks what this masker knows. Before other threads write.
    void mask(std::shared_ptr<const Masker> masker) { masker_ = std::move(masker); }
    bool wants(LogLevel level) const { return level >= level_; }

private:
    struct Sink;
    LogLevel level_;
    std::shared_ptr<const Masker> masker_ = std::make_shared<const Masker>();
    std::unique_ptr<Sink> sink_;
};

} // namespace tenon
