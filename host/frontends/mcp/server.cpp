// SPDX-License-Identifier: Apache-2.0
#include "frontends/mcp/server.h"

#include "frontends/mcp/request.h"
#include "json/writer.h"
#include "support/text.h"
#include "transport/jsonrpc.h"

#include <atomic>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

namespace tenon::mcp {

using transport::Envelope;
using transport::errorMessage;
using transport::resultMessage;

namespace {

// One line and what was read of it. A call keeps the one that asked for it, for as long as anybody
// may read its arguments: a handler that was given up, too.
struct Message {
    std::string line;
    json::Document document;
};
constexpr std::size_t kBatchMax = 100; // messages
// Messages are read this deep, so that one with arguments beyond the limit is answered by its id.
constexpr std::uint32_t kMessageDepthMax = 20'000; // more than any limits.jsonDepth
constexpr std::uint32_t kEnvelopeDepth = 2;        // of a message, around its arguments
constexpr std::size_t kLineBytesKept = 64U << 10;  // memory of longer ones is not used again

// Gathers the answers of a batch (2025-03-26) into one array.
class Batch {
public:
    Batch(std::size_t expected, Send send) : left_(expected), send_(std::move(send)) {}
    void add(std::string_view message) {
        const std::lock_guard lock(mutex_);
        if (!message.empty()) {
            text_ += concat(text_.empty() ? "[" : ",", message);
        }
        if (--left_ == 0 && !text_.empty()) {
            send_(text_ + "]");
        }
    }

private:
    std::mutex mutex_;
    std::size_t left_;
    std::string text_;
    Send send_;
};

} // namespace

struct McpStream::State : std::enable_shared_from_this<State> {
    State(ToolRunner &given, const McpOptions &options, Send out)
        : runner(given), rendered(given.catalog(), options.info), send(std::move(out)) {
        caller.source = Source::Mcp;
    }

    class Listener;

    void one(const std::shared_ptr<Message> &message, json::Value value,
             const std::shared_ptr<Batch> &batch);
    void batch(const std::shared_ptr<Message> &message);
    void request(const std::shared_ptr<Message> &message, const Envelope &envelope,
                 const std::shared_ptr<Batch> &batch);
    std::string answer(const Request &request);
    std::string initialize(const Request &request);
    void call(const std::shared_ptr<Message> &message, const Request &request,
              const std::shared_ptr<Batch> &batch);
    void notification(const Envelope &envelope);
    void reply(std::string_view text, const std::shared_ptr<Batch> &batch) const {
        batch ? batch->add(text) : send(text);
    }

    ToolRunner &runner;
    const Rendered rendered;
    const Send send;
    // Of the legacy era, set by initialize on the receiving thread.
    Revision revision = kNewestLegacy;
    bool initialized = false;
    Caller caller;

    std::shared_ptr<Message> spare; // of the receiving thread: one to use again

    std::mutex mutex; // of what follows
    std::unordered_map<std::string, std::pair<std::shared_ptr<Listener>, CallHandle>> inFlight;
};

// One tools/call: owns the message that asked for it.
class McpStream::State::Listener : public CallListener {
public:
    Listener(std::shared_ptr<State> state, std::shared_ptr<Message> message, const Request &request,
             const catalog::Tool &tool, std::shared_ptr<Batch> batch)
        : state_(std::move(state)), message_(std::move(message)), id_(request.id),
          revision_(request.revision), progressToken_(request.progressToken), tool_(tool),
          batch_(std::move(batch)) {}
    bool wantsProgress() const override { return !progressToken_.empty(); }
    void onProgress(const Progress &progress) override {
        json::Writer out;
        out.object().key("jsonrpc").string("2.0").key("method").string("notifications/progress");
        out.key("params").object().key("progressToken").raw(progressToken_);
        out.key("progress").number(progress.done);
        if (progress.total > 0) {
            out.key("total").number(progress.total);
        }
        if (!progress.message.empty()) {
            out.key("message").string(progress.message);
        }
        out.endObject().endObject();
        const std::lock_guard lock(mutex_);
        if (!silent_) {
            state_->send(out.text());
        }
    }
    std::size_t render(const ToolResult &result, const std::string &failureJson) override {
        {
            const std::lock_guard lock(mutex_);
            if (silent_) {
                return 0;
            }
        }
        const auto *output = std::get_if<Output>(&result);
        rendered_ =
            resultMessage(id_, output ? state_->rendered.callOutput(*output, tool_, revision_)
                                      : state_->rendered.callFailure(failureJson, revision_));
        return rendered_.size();
    }
    void onDone(ToolResult, std::string) override {
        std::string key;
        bool silent = false;
        {
            const std::lock_guard lock(mutex_);
            done_ = true;
            endedOn_ = std::this_thread::get_id();
            silent = silent_;
            key = key_;
        }
        if (!key.empty()) { // before the answer goes out: the id is then free to be used again
            const std::lock_guard lock(state_->mutex);
            state_->inFlight.erase(key);
        }
        if (!silent) {
            state_->reply(!rendered_.empty() ? rendered_
                                             : errorMessage(id_, transport::kInternalError,
                                                            "Internal server error"),
                          batch_);
        } else if (batch_) {
            batch_->add("");
        }
    }
    // Whether it ended on the calling thread. Only once it is over.
    bool endedHere() const { return endedOn_ == std::this_thread::get_id(); }
    // Nothing more is sent for this call.
    void silence() {
        const std::lock_guard lock(mutex_);
        silent_ = true;
    }
    // Enters the call among those that can be cancelled, and says so; false if it is over.
    bool enter(std::string key, CallHandle handle, const std::shared_ptr<Listener> &self) {
        const std::lock_guard lock(mutex_);
        if (done_) {
            return false;
        }
        key_ = std::move(key);
        const std::lock_guard entering(state_->mutex);
        state_->inFlight.emplace(key_, std::pair(self, std::move(handle)));
        return true;
    }

private:
    const std::shared_ptr<State> state_;
    const std::shared_ptr<Message> message_;
    const std::string_view id_; // into message_
    const Revision revision_;
    const std::string_view progressToken_;
    const catalog::Tool &tool_;
    const std::shared_ptr<Batch> batch_;
    std::string rendered_;
    std::mutex mutex_;
    std::string key_;
    bool silent_ = false;
    bool done_ = false;
    std::thread::id endedOn_;
};

void McpStream::State::one(const std::shared_ptr<Message> &message, json::Value value,
                           const std::shared_ptr<Batch> &batch) {
    const Envelope envelope = transport::readEnvelope(value);
    switch (envelope.kind) {
    case Envelope::Kind::Request: request(message, envelope, batch); return;
    case Envelope::Kind::Notification: notification(envelope); break;
    case Envelope::Kind::Response: break; // nothing was asked of the client
    case Envelope::Kind::Invalid:
        reply(errorMessage(envelope.id, transport::kInvalidRequest, envelope.problem), batch);
        return;
    }
    if (batch) {
        batch->add("");
    }
}

void McpStream::State::batch(const std::shared_ptr<Message> &message) {
    const json::Value list = message->document.root();
    const bool allowed = initialized && revision == Revision::R2025_03_26;
    if (allowed && list.size() > kBatchMax) {
        send(errorMessage(
            "", transport::kInvalidRequest,
            concat("the batch has ", list.size(), " messages; the limit is ", kBatchMax)));
        return;
    }
    if (!allowed || list.size() == 0) {
        send(errorMessage("", transport::kInvalidRequest,
                          allowed ? "the batch is empty; expected at least one message"
                                  : "batches are not supported by this revision; expected one "
                                    "JSON-RPC object a line"));
        return;
    }
    const auto batch = std::make_shared<Batch>(list.size(), send);
    for (const json::Value item : list.items()) {
        one(message, item, batch);
    }
}

void McpStream::State::request(const std::shared_ptr<Message> &message, const Envelope &envelope,
                               const std::shared_ptr<Batch> &batch) {
    const Request request = readRequest(envelope, revision);
    if (!request.error.empty()) {
        reply(request.error, batch);
    } else if (const auto &flaw = message->document.flaw(); !flaw.empty()) {
        reply(errorMessage(envelope.id, transport::kInvalidParams, flaw), batch);
    } else if (const auto most = runner.limits().jsonDepthMax + kEnvelopeDepth;
               message->document.depth() > most) {
        reply(errorMessage(envelope.id, transport::kInvalidParams,
                           concat("the message is nested ", message->document.depth(),
                                  " deep; the limit is ", most, " (limits.jsonDepth and ",
                                  kEnvelopeDepth, " for the message around it)")),
              batch);
    } else if (request.method == "tools/call") {
        call(message, request, batch);
    } else {
        reply(answer(request), batch);
    }
}

std::string McpStream::State::answer(const Request &request) {
    const bool modern = isModern(request.revision);
    if (request.method == "tools/list") {
        if (const auto cursor = request.params["cursor"]; cursor) {
            return errorMessage(request.id, transport::kInvalidParams,
                                concat("the cursor ", printable(cursor.raw(), 100),
                                       " was not given by this server; expected no cursor, since "
                                       "the list has one page"));
        }
        return resultMessage(request.id, rendered.toolsList(request.revision));
    }
    if (modern && request.method == "server/discover") {
        return resultMessage(request.id, rendered.discover());
    }
    if (!modern && request.method == "initialize") {
        return initialize(request);
    }
    if (!modern && request.method == "ping") {
        return resultMessage(request.id, rendered.empty(request.revision));
    }
    return errorMessage(request.id, transport::kMethodNotFound,
                        concat("there is no method \"", printable(request.method, 100),
                               "\" in revision ", mcp::nameOf(request.revision),
                               " of this server"));
}

std::string McpStream::State::initialize(const Request &request) {
    const auto asked = request.params["protocolVersion"];
    if (!asked.isString()) {
        return errorMessage(request.id, transport::kInvalidParams,
                            "\"protocolVersion\" is missing; expected a revision such as "
                            "\"2025-11-25\"");
    }
    const auto known = revisionOf(asked.string());
    revision = known && !isModern(*known) ? *known : kNewestLegacy;
    initialized = true;
    const auto client = request.params["clientInfo"];
    caller.clientName = client["name"].string();
    caller.clientVersion = client["version"].string();
    caller.protocolVersion = mcp::nameOf(revision);
    return resultMessage(request.id, rendered.initialize(revision));
}

void McpStream::State::call(const std::shared_ptr<Message> &message, const Request &request,
                            const std::shared_ptr<Batch> &batch) {
    const auto refuse = [&](const std::string &reason) {
        reply(errorMessage(request.id, transport::kInvalidParams, reason), batch);
    };
    const auto name = request.name;
    const auto *tool = runner.catalog().find(name.string());
    if (!name.isString()) {
        return refuse("\"name\" is missing; expected the name of a tool");
    }
    if (tool == nullptr) {
        const auto near = runner.catalog().nearestTo(name.string());
        return refuse(concat("there is no tool \"", printable(name.string(), 200), "\"",
                             near.empty() ? "" : concat("; did you mean \"", near, "\"?")));
    }
    const auto arguments = request.arguments;
    if (arguments && !arguments.isObject() && !arguments.isNull()) {
        return refuse(
            concat("\"arguments\" is ", json::nameOf(arguments.kind()), "; expected an object"));
    }
    std::string key = transport::idKey(request.idValue);
    {
        const std::lock_guard lock(mutex);
        if (!inFlight.empty() && inFlight.contains(key)) {
            reply(errorMessage(request.id, transport::kInvalidRequest,
                               "the id is that of a call still running; expected a new one"),
                  batch);
            return;
        }
    }
    ToolCall asked;
    asked.toolName = name.string();
    asked.arguments = arguments.isObject() ? arguments : json::Value();
    asked.caller = isModern(request.revision) ? &request.caller : &caller;
    asked.toolCallId = request.id;
    AmbientContext ambient;
    ambient.traceparent = request.traceparent;
    asked.ambient = request.traceparent.empty() ? nullptr : &ambient;
    const auto listener =
        std::make_shared<Listener>(shared_from_this(), message, request, *tool->tool, batch);
    CallHandle handle = runner.run(asked, listener);
    if (listener->enter(std::move(key), std::move(handle), listener) || !listener->endedHere()) {
        spare = nullptr; // another thread has had the message
    }
}

void McpStream::State::notification(const Envelope &envelope) {
    if (envelope.method != "notifications/cancelled") {
        return; // notifications/initialized, and those that a server need not know
    }
    const auto key = transport::idKey(envelope.params["requestId"]);
    CallHandle handle;
    {
        std::unique_lock lock(mutex);
        const auto found = inFlight.find(key);
        if (found == inFlight.end()) {
            return;
        }
        const auto listener = found->second.first;
        handle = found->second.second;
        lock.unlock();
        listener->silence();
    }
    handle.cancel();
}

McpStream::McpStream(ToolRunner &runner, const McpOptions &options, Send send)
    : state_(std::make_shared<State>(runner, options, std::move(send))) {}

McpStream::~McpStream() = default;

void McpStream::receive(std::string_view line) {
    auto message = std::exchange(state_->spare, nullptr);
    if (!message || message->line.capacity() > kLineBytesKept) {
        message = std::make_shared<Message>();
    }
    state_->spare = message;
    message->line = line;
    const json::ReadLimits limits{line.size(), kMessageDepthMax, false};
    if (const auto read = message->document.readView(message->line, limits); !read) {
        state_->send(
            errorMessage("", transport::kParseError,
                         concat("the message is not strict JSON: ", read.error().message)));
    } else if (message->document.root().isArray()) {
        state_->batch(message);
    } else {
        state_->one(message, message->document.root(), nullptr);
    }
}

void McpStream::refuseTooLong(std::size_t limit) {
    state_->send(errorMessage(
        "", transport::kInvalidRequest,
        concat("the message is longer than ", limit, " bytes, the limit (limits.messageBytes)")));
}

void McpStream::cancelAll() {
    std::vector<std::pair<std::shared_ptr<State::Listener>, CallHandle>> calls;
    {
        const std::lock_guard lock(state_->mutex);
        for (const auto &[key, call] : state_->inFlight) {
            calls.push_back(call);
        }
    }
    for (const auto &[listener, handle] : calls) {
        listener->silence();
        handle.cancel();
    }
}

std::unique_ptr<McpStream> mountMcp(ToolRunner &runner, const McpOptions &options, Send send) {
    return std::make_unique<McpStream>(runner, options, std::move(send));
}

} // namespace tenon::mcp
