// SPDX-License-Identifier: Apache-2.0
// What a handler holds of one call: Context while it runs, Reply when it answers later, ToolError
// to refuse.
#pragma once

#include <tenon/abi.h>
#include <tenon/fields.hpp>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cxxabi.h>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <typeinfo>

namespace tenon {

inline std::string_view view(tenon_text text) {
    return {text.data, static_cast<std::size_t>(text.size)};
}
inline tenon_text text(std::string_view view) {
    return {view.data(), view.size()};
}

// A refusal, said to the caller: what was seen, what was expected; hint() says what to do.
class ToolError : public std::exception {
public:
    // code: ^[A-Z][A-Z0-9_]{2,63}$, the host's (NOT_FOUND, CONFLICT, BAD_REQUEST, ...) or your own.
    ToolError(std::string code, std::string message)
        : code_(std::move(code)), message_(std::move(message)) {}
    ToolError &hint(std::string text) & { return hint_ = std::move(text), *this; }
    ToolError &&hint(std::string text) && { return std::move(hint(std::move(text))); }
    ToolError &details(Json object) & { return details_ = std::move(object.text), *this; }
    ToolError &&details(Json object) && { return std::move(details(std::move(object))); }
    ToolError &status(std::uint32_t http) & { return status_ = http, *this; }
    ToolError &&status(std::uint32_t http) && { return std::move(status(http)); }
    ToolError &retryable(bool yes) & {
        return retryable_ = yes ? TENON_RETRY_YES : TENON_RETRY_NO, *this;
    }
    ToolError &&retryable(bool yes) && { return std::move(retryable(yes)); }

    const char *what() const noexcept override { return message_.c_str(); }
    const std::string &code() const { return code_; }

    // Valid as long as this object is.
    tenon_failure failure() const {
        return {sizeof(tenon_failure), status_,        retryable_,     0,
                text(code_),           text(message_), text(details_), text(hint_)};
    }

private:
    std::string code_, message_, details_, hint_;
    std::uint32_t status_ = 0, retryable_ = TENON_RETRY_UNSTATED;
};

enum class Level : std::uint32_t {
    Debug = TENON_LOG_DEBUG,
    Info = TENON_LOG_INFO,
    Warning = TENON_LOG_WARNING,
    Error = TENON_LOG_ERROR
};

struct Caller {
    std::string source, userId, clientName, traceparent;
};

// The host's side of one call. Every function may be called from any thread until the call is
// over; after that they do nothing.
class Context {
public:
    Context(const tenon_host *host, tenon_call call) : host_(host), call_(call) {}

    // True once the caller gave up or the deadline passed: stop and return.
    bool cancelled() const {
        const auto *table = extension<tenon_cancellation_v1>(TENON_EXT_CANCELLATION);
        return table != nullptr && table->requested(host_->context, call_) != 0;
    }
    // Time until the deadline; nothing when there is none.
    std::optional<std::chrono::milliseconds> remaining() const {
        const auto *table = extension<tenon_cancellation_v1>(TENON_EXT_CANCELLATION);
        const auto ms = table ? table->remaining_ms(host_->context, call_) : UINT64_MAX;
        return ms == UINT64_MAX ? std::nullopt : std::optional(std::chrono::milliseconds(ms));
    }
    // done must grow from report to report; total 0 when it is not known.
    void progress(double done, double total = 0, std::string_view message = {}) const {
        if (const auto *table = extension<tenon_progress_v1>(TENON_EXT_PROGRESS)) {
            table->report(host_->context, call_, done, total, text(message));
        }
    }
    // To the operator's log, and to a caller that asked for logs: nothing secret.
    void log(Level level, std::string_view message) const {
        if (const auto *table = extension<tenon_log_v1>(TENON_EXT_LOG)) {
            table->write(host_->context, call_, static_cast<std::uint32_t>(level), text(message));
        }
    }
    Caller caller() const {
        tenon_caller out{};
        out.struct_size = sizeof out;
        const auto *table = extension<tenon_caller_v1>(TENON_EXT_CALLER);
        if (table == nullptr || table->get(host_->context, call_, &out) != TENON_OK) {
            return {};
        }
        const auto copy = [](tenon_text value) { return std::string(view(value)); };
        return {copy(out.source), copy(out.user_id), copy(out.client_name), copy(out.traceparent)};
    }

    // Content blocks, beside or instead of a returned value. Bytes are raw, not base64.
    void addText(std::string_view value) const {
        auto block = blockOf(TENON_CONTENT_TEXT);
        block.text = text(value);
        push(block);
    }
    void addImage(std::string_view bytes, std::string_view mimeType) const {
        addBytes(TENON_CONTENT_IMAGE, bytes, mimeType);
    }
    void addAudio(std::string_view bytes, std::string_view mimeType) const {
        addBytes(TENON_CONTENT_AUDIO, bytes, mimeType);
    }
    void addLink(std::string_view uri, std::string_view name, std::string_view description = {},
                 std::string_view mimeType = {}) const {
        auto block = blockOf(TENON_CONTENT_LINK);
        block.uri = text(uri);
        block.name = text(name);
        block.description = text(description);
        block.mime_type = text(mimeType);
        push(block);
    }
    // Any block, as the ABI has it.
    void push(const tenon_content &block) const { host_->content(host_->context, call_, &block); }

    // Gives the result, in the form of its type: see plugin.hpp.
    void give(std::string_view value) const { addText(value); }
    void give(const std::string &value) const { addText(value); }
    void give(const char *value) const { addText(value); }
    void give(const Json &value) const { giveJson(value.text); }
    template <class Out> void give(const Out &value) const {
        JsonWriter out;
        Codec<Out>::write(out, value);
        giveJson(out.text());
    }
    void giveJson(std::string_view json) const { host_->result(host_->context, call_, text(json)); }

    // Ends the call with the exception that is being handled: the barrier.
    void failWithCurrent() const noexcept;
    const tenon_host *host() const { return host_; }
    tenon_call call() const { return call_; }

    template <class Table> const Table *extension(std::string_view id) const {
        return static_cast<const Table *>(host_->get_extension(host_->context, text(id)));
    }

private:
    static tenon_content blockOf(std::uint32_t type) {
        tenon_content block{};
        block.struct_size = sizeof block;
        block.type = type;
        return block;
    }
    void addBytes(std::uint32_t type, std::string_view bytes, std::string_view mimeType) const {
        auto block = blockOf(type);
        // A non-NULL pointer even for no bytes: NULL would say that there are none to speak of.
        block.data = {reinterpret_cast<const std::uint8_t *>(bytes.empty() ? "" : bytes.data()),
                      bytes.size()};
        block.mime_type = text(mimeType);
        push(block);
    }

    const tenon_host *host_;
    tenon_call call_;
};

namespace detail {

inline std::string typeName(const std::type_info &type) {
    int status = 0;
    char *plain = abi::__cxa_demangle(type.name(), nullptr, nullptr, &status);
    std::string name = status == 0 && plain != nullptr ? plain : type.name();
    std::free(plain);
    return name;
}

// The message of an exception and of those nested in it, outermost first.
inline std::string wholeMessage(const std::exception &error, int depth = 0) {
    std::string message = error.what();
    try {
        std::rethrow_if_nested(error);
    } catch (const std::exception &inner) {
        message += depth < 8 ? ": " + wholeMessage(inner, depth + 1) : ": ...";
    } catch (...) {
        message += ": (something that is not a std::exception)";
    }
    return message;
}

} // namespace detail

inline void Context::failWithCurrent() const noexcept {
    try {
        try {
            throw;
        } catch (const ToolError &error) {
            const auto failure = error.failure();
            host_->fail(host_->context, call_, &failure);
        } catch (const std::exception &error) {
            host_->raise(host_->context, call_, text(detail::typeName(typeid(error))),
                         text(detail::wholeMessage(error)));
        } catch (...) {
            const auto *type = abi::__cxa_current_exception_type();
            host_->raise(host_->context, call_, text(type ? detail::typeName(*type) : "unknown"),
                         text("thrown, not a std::exception"));
        }
    } catch (...) { // no memory even to say so
        host_->raise(host_->context, call_, text("std::bad_alloc"), text("out of memory"));
    }
}

// The right and the duty to answer one call later, from any thread. When the last copy of a reply
// goes without an answer, the call ends as a fault, so that no caller waits for ever.
class Reply {
public:
    explicit Reply(const Context &context) : state_(std::make_shared<State>(context)) {}

    // cancelled(), progress(), log(), content blocks: all of them, until it is answered.
    const Context &context() const { return state_->context; }

    template <class Out> void answer(const Out &value) const {
        run([&] { return value; });
    }
    void done() const {
        run([] {});
    }
    void refuse(const ToolError &error) const {
        run([&] { throw error; });
    }
    // Answers with whatever work() returns, or with what it throws. The first answer counts.
    template <class Work> void run(Work work) const {
        if (!state_->open.exchange(false)) {
            return;
        }
        try {
            if constexpr (std::is_void_v<std::invoke_result_t<Work &>>) {
                work();
            } else {
                context().give(work());
            }
        } catch (...) {
            context().failWithCurrent();
        }
        state_->complete();
    }

private:
    struct State {
        explicit State(const Context &of) : context(of) {}
        State(const State &) = delete;
        State &operator=(const State &) = delete;
        ~State() {
            if (open) {
                context.host()->raise(context.host()->context, context.call(), text("tenon::Reply"),
                                      text("the handler dropped its reply without an answer"));
                complete();
            }
        }
        void complete() const { context.host()->complete(context.host()->context, context.call()); }

        const Context context;
        std::atomic<bool> open = true;
    };
    std::shared_ptr<State> state_;
};

} // namespace tenon
