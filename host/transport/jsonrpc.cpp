// SPDX-License-Identifier: Apache-2.0
#include "transport/jsonrpc.h"

#include "json/writer.h"
#include "support/text.h"

namespace tenon::transport {

namespace {

// Strings and whole numbers written as such: 1.5 and 1e3 could not be echoed as they came by every
// client, and null is no id.
bool isId(json::Value id) {
    return id.isString() || (id.isNumber() && id.raw().find_first_of(".eE") == id.raw().npos);
}

} // namespace

std::string idKey(json::Value id) {
    if (!isId(id)) {
        return "";
    }
    return id.isString() ? concat('s', id.string()) : concat('n', id.raw());
}

Envelope readEnvelope(json::Value message) {
    Envelope out;
    const auto invalid = [&](std::string problem) {
        out.kind = Envelope::Kind::Invalid;
        out.problem = std::move(problem);
        return out;
    };
    if (!message.isObject()) {
        return invalid(concat("the message is ", json::nameOf(message.kind()),
                              "; expected one JSON-RPC object"));
    }
    json::Value version, id, method, params, answer;
    for (const auto &[key, value] : message.members()) {
        if (key == "jsonrpc") {
            version = value;
        } else if (key == "id") {
            id = value;
        } else if (key == "method") {
            method = value;
        } else if (key == "params") {
            params = value;
        } else if (key == "result" || key == "error") {
            answer = value;
        }
    }
    if (isId(id)) {
        out.id = id.raw();
        out.idValue = id;
    }
    if (version.string() != "2.0") {
        return invalid(concat("\"jsonrpc\" is ", version ? printable(version.raw(), 40) : "missing",
                              "; expected \"2.0\""));
    }
    if (!method && answer) {
        out.kind = Envelope::Kind::Response;
        return out;
    }
    if (!method.isString()) {
        return invalid(concat("\"method\" is ", method ? printable(method.raw(), 40) : "missing",
                              "; expected a string"));
    }
    out.method = method.string();
    if (id && out.id.empty()) {
        return invalid(
            concat("\"id\" is ", printable(id.raw(), 40), "; expected a string or a whole number"));
    }
    if (id && params && !params.isNull() && !params.isObject()) {
        return invalid(
            concat("\"params\" is ", json::nameOf(params.kind()), "; expected an object"));
    }
    out.params = params.isObject() ? params : json::Value();
    out.kind = id ? Envelope::Kind::Request : Envelope::Kind::Notification;
    return out;
}

std::string errorMessage(std::string_view id, int code, std::string_view message,
                         std::string_view data) {
    json::Writer out;
    out.object().key("jsonrpc").string("2.0").key("id").raw(id.empty() ? "null" : id);
    out.key("error").object().key("code").number(code).key("message").string(message);
    if (!data.empty()) {
        out.key("data").raw(data);
    }
    return out.endObject().endObject().take();
}

std::string resultMessage(std::string_view id, std::string_view result) {
    std::string out;
    out.reserve(result.size() + id.size() + 48);
    for (const auto part : {std::string_view(R"({"jsonrpc":"2.0","id":)"), id,
                            std::string_view(R"(,"result":)"), result, std::string_view("}")}) {
        out += part;
    }
    return out;
}

} // namespace tenon::transport
