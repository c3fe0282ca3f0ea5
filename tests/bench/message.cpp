// SPDX-License-Identifier: Apache-2.0
#include "message.h"

#include "scan.h"

#include <charconv>

namespace tenon::bench {

namespace {

constexpr std::string_view kModernMeta =
    R"(},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
    R"("io.modelcontextprotocol/clientInfo":{"name":"tenon-bench","version":"1.0.0"},)"
    R"("io.modelcontextprotocol/clientCapabilities":{}}}})";

std::string sample(std::string_view line) {
    constexpr std::size_t kShown = 300;
    return line.size() <= kShown ? std::string(line)
                                 : std::string(line.substr(0, kShown)) + "... (" +
                                       std::to_string(line.size()) + " bytes)";
}

} // namespace

Messages::Messages(Form form, Expect expect, std::size_t textBytes)
    : expect_(expect), textBytes_(textBytes),
      tail_(form == Form::Modern ? kModernMeta : std::string_view("}}}")) {
    tail_ = '"' + tail_ + '\n';
}

std::string Messages::textOf(std::uint64_t id) const {
    static constexpr std::string_view kFill = "abcdefghijklmnopqrstuvwxyz ";
    std::string text = std::to_string(id);
    while (text.size() < textBytes_) {
        text += kFill.substr(0, textBytes_ - text.size());
    }
    return text;
}

void Messages::appendRequest(std::string &out, std::uint64_t id) const {
    out += R"({"jsonrpc":"2.0","id":)";
    out += std::to_string(id);
    out += R"(,"method":"tools/call","params":{"name":"echo","arguments":{"text":")";
    out += textOf(id);
    out += tail_;
}

std::optional<std::uint64_t> Messages::idOf(std::string_view line) {
    std::optional<std::uint64_t> id;
    Scanner(line).object([&](std::string_view key, std::string_view value) {
        std::uint64_t number = 0;
        const auto read = std::from_chars(value.data(), value.data() + value.size(), number);
        if (key == "id" && read.ec == std::errc() && read.ptr == value.data() + value.size()) {
            id = number;
        }
    });
    return id;
}

std::string Messages::faultOf(std::string_view line, std::uint64_t id) const {
    if (expect_ == Expect::Line) {
        std::string sent;
        appendRequest(sent, id);
        sent.pop_back();
        return line == sent ? "" : "seen: " + sample(line) + "; expected the line that was sent";
    }
    std::string_view result, error;
    const bool whole = Scanner(line).object([&](std::string_view key, std::string_view value) {
        (key == "result" ? result : key == "error" ? error : value) = value;
    });
    std::string_view content, isError;
    const bool hasResult = Scanner(result).object([&](std::string_view key, auto value) {
        (key == "content" ? content : key == "isError" ? isError : value) = value;
    });
    if (!whole || !error.empty() || !hasResult || isError == "true") {
        return "seen: " + sample(line) + "; expected a result without an error";
    }
    const std::string expected = '"' + textOf(id) + '"';
    std::size_t blocks = 0;
    bool same = false;
    Scanner(content).array([&](std::string_view block) {
        ++blocks;
        Scanner(block).object([&](std::string_view key, std::string_view value) {
            same = same || (key == "text" && value == expected);
        });
    });
    return blocks == 1 && same
               ? ""
               : "seen: " + sample(line) + "; expected one content block with the text " + expected;
}

std::string Messages::initialize() {
    return R"({"jsonrpc":"2.0","id":"initialize","method":"initialize","params":{)"
           R"("protocolVersion":"2025-11-25","capabilities":{},)"
           R"("clientInfo":{"name":"tenon-bench","version":"1.0.0"}}})"
           "\n";
}

std::string Messages::initialized() {
    return R"({"jsonrpc":"2.0","method":"notifications/initialized"})"
           "\n";
}

std::string Messages::faultOfInitialize(std::string_view line) {
    std::string_view id, result, version;
    Scanner(line).object([&](std::string_view key, std::string_view value) {
        (key == "id" ? id : key == "result" ? result : value) = value;
    });
    Scanner(result).object([&](std::string_view key, std::string_view value) {
        (key == "protocolVersion" ? version : value) = value;
    });
    return id == "\"initialize\"" && version == "\"2025-11-25\""
               ? ""
               : "seen: " + sample(line) + "; expected initialize to answer revision 2025-11-25";
}

} // namespace tenon::bench
