// SPDX-License-Identifier: Apache-2.0
#include "runner/audit/row.h"

#include "json/writer.h"
#include "support/text.h"

#include <charconv>
#include <type_traits>

namespace tenon::audit {

const std::vector<Column> &columns() {
    static const std::vector<Column> kColumns{
        {"id", &Row::id},
        {"startedAt", &Row::startedAt},
        {"durationMs", &Row::durationMs},
        {"source", &Row::source},
        {"kind", &Row::kind},
        {"toolName", &Row::toolName},
        {"plugin", &Row::plugin},
        {"pluginVersion", &Row::pluginVersion},
        {"catalogDigest", &Row::catalogDigest},
        {"method", &Row::method},
        {"path", &Row::path},
        {"ok", &Row::ok},
        {"outcome", &Row::outcome},
        {"round", &Row::round},
        {"statusCode", &Row::statusCode},
        {"errorCode", &Row::errorCode},
        {"errorMessage", &Row::errorMessage},
        {"errorDetail", &Row::errorDetail},
        {"payload", &Row::payload},
        {"coerced", &Row::coerced},
        {"resultSize", &Row::resultSize},
        {"responseBytes", &Row::responseBytes},
        {"traceId", &Row::traceId},
        {"spanId", &Row::spanId},
        {"parentSpanId", &Row::parentSpanId},
        {"userId", &Row::userId},
        {"authMethod", &Row::authMethod},
        {"clientId", &Row::clientId},
        {"clientName", &Row::clientName},
        {"protocolVersion", &Row::protocolVersion},
        {"ipAddress", &Row::ipAddress},
        {"userAgent", &Row::userAgent},
        {"dimensions", &Row::dimensions},
    };
    return kColumns;
}

namespace {

void appendMember(std::string &out, std::string_view name, const auto &value) {
    using Value = std::remove_cvref_t<decltype(value)>;
    const auto key = [&] {
        out += out.back() == '{' ? "\"" : ",\"";
        out += name;
        out += "\":";
    };
    if constexpr (std::is_same_v<Value, std::string>) {
        if (!value.empty()) {
            key();
            json::appendQuoted(out, value);
        }
    } else if constexpr (std::is_same_v<Value, JsonText>) {
        if (!value.text.empty()) {
            key();
            out += value.text;
        }
    } else if constexpr (std::is_same_v<Value, bool>) {
        key();
        out += value ? "true" : "false";
    } else {
        char digits[32];
        const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
        key();
        out.append(digits, end);
    }
}

bool readMember(json::Value from, auto &to) {
    using Value = std::remove_cvref_t<decltype(to)>;
    if constexpr (std::is_same_v<Value, std::string>) {
        to = from.string();
        return from.isString();
    } else if constexpr (std::is_same_v<Value, JsonText>) {
        to.text = json::compact(from);
        return true;
    } else if constexpr (std::is_same_v<Value, bool>) {
        to = from.isTrue();
        return from.isTrue() || from.isFalse();
    } else {
        const auto digits = from.number();
        const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), to);
        return !digits.empty() && read.ec == std::errc() &&
               read.ptr == digits.data() + digits.size();
    }
}

} // namespace

void clear(Row &row) {
    static const Row kNew;
    const auto clearOne = [&](auto field) {
        auto &value = row.*field;
        using Value = std::remove_reference_t<decltype(value)>;
        if constexpr (std::is_same_v<Value, std::string>) {
            value.clear();
        } else if constexpr (std::is_same_v<Value, JsonText>) {
            value.text.clear();
        } else {
            value = kNew.*field;
        }
    };
    for (const auto &column : columns()) {
        std::visit(clearOne, column.field);
    }
}

void appendJson(std::string &out, const Row &row) {
    out += '{';
    for (const auto &column : columns()) {
        std::visit([&](auto field) { appendMember(out, column.name, row.*field); }, column.field);
    }
    out += '}';
}

Result<Row> rowOfJson(json::Value value) {
    if (!value.isObject() || value["id"].string().empty()) {
        return Error{"audit.row", concat("the line is ", json::nameOf(value.kind()),
                                         "; expected an object with an \"id\"")};
    }
    Row row;
    for (const auto &column : columns()) {
        const auto member = value[column.name];
        if (!member) {
            continue;
        }
        const bool read =
            std::visit([&](auto field) { return readMember(member, row.*field); }, column.field);
        if (!read) {
            return Error{"audit.row",
                         concat("\"", column.name, "\" is ", json::nameOf(member.kind()),
                                ", which is not what the column holds")};
        }
    }
    return row;
}

} // namespace tenon::audit
