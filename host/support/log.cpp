// SPDX-License-Identifier: Apache-2.0
#include "support/log.h"

#include "support/text.h"

#define SPDLOG_NO_THREAD_ID
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>

namespace tenon {

namespace {

constexpr std::size_t kMessageBytesMax = 16'000;
constexpr std::array<std::string_view, 5> kWords{"debug", "info", "warning", "error", "off"};
constexpr std::array kSpdlogLevels{spdlog::level::debug, spdlog::level::info, spdlog::level::warn,
                                   spdlog::level::err, spdlog::level::off};

} // namespace

bool parseLogLevel(std::string_view word, LogLevel &out) {
    for (std::size_t i = 0; i < kWords.size(); ++i) {
        if (kWords[i] == word) {
            out = static_cast<LogLevel>(i);
            return true;
        }
    }
    return false;
}

struct Log::Sink {
    spdlog::logger logger{"tenon", std::make_shared<spdlog::sinks::stderr_sink_mt>()};
};

Log::Log(LogLevel level) : level_(level), sink_(std::make_unique<Sink>()) {
    sink_->logger.set_level(spdlog::level::trace);
    sink_->logger.set_pattern("%Y-%m-%dT%H:%M:%S.%e%z %l tenon: %v");
    sink_->logger.flush_on(spdlog::level::trace);
}

Log::~Log() = default;

void Log::write(LogLevel level, std::string_view message) {
    if (!wants(level)) {
        return;
    }
    // No more is looked at than can matter, and nothing behind the limit is shown.
    const auto seen =
        message.substr(0, std::min(message.size(), kMessageBytesMax + masker_->reach()));
    std::string shown = printable(masker_->masked(seen, kMessageBytesMax), kMessageBytesMax);
    if (message.size() > kMessageBytesMax) {
        shown += concat(" (of ", message.size(), " bytes)");
    }
    sink_->logger.log(kSpdlogLevels[static_cast<std::size_t>(level)], "{}", shown);
}

} // namespace tenon
