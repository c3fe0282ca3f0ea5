// SPDX-License-Identifier: Apache-2.0
#include "plugin/instance.h"

#include "json/writer.h"
#include "support/text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <optional>
#include <utility>

namespace tenon::plugin {

namespace {

std::string_view view(tenon_text text) {
    return text.data ? std::string_view(text.data, text.size) : std::string_view();
}

// What a failure may say in all, and how much of a raw cause is kept.
constexpr std::size_t kFailureBytesMax = 256U << 10;
constexpr std::size_t kCauseBytesMax = 64U << 10;
// What a content block counts beside its fields, so that a million empty ones are not free.
constexpr std::size_t kBlockBytes = 256;

tenon_text capped(tenon_text text) {
    return {text.data, std::min<std::uint64_t>(text.size, kCauseBytesMax)};
}

// Text that a caller may see.
std::string shown(tenon_text text) {
    return text.size == 0 ? std::string() : validUtf8(view(text));
}

// A JSON object on one line, "" for none; nothing when it is neither.
std::optional<std::string> objectOf(tenon_text json) {
    json::Document document;
    if (json.size == 0) {
        return "";
    }
    if (!document.readView(view(json)) || !document.root().isObject()) {
        return std::nullopt;
    }
    return json::compact(document.root());
}

tenon_text textOf(std::string_view text) {
    return {text.data(), text.size()};
}

} // namespace

// context is the Instance. Nothing here throws into the plugin: allocation failure ends the
// process, as it would anywhere in the host.
struct Instance::Services {
    static Instance &self(void *context) { return *static_cast<Instance *>(context); }

    // The plugin broke the ABI in this call: the call ends as a fault that says so to the operator.
    static tenon_status spoil(Instance &instance, tenon_call call, std::string reason) {
        instance.log_.error(concat(instance.origin_, ": ", reason));
        const auto status = instance.calls_.change(call, [&](Pushed &pushed) {
            pushed.raw = RawCause{"tenon ABI violation", reason};
            return TENON_INVALID;
        });
        return status;
    }

    // A sum that stays at the largest number instead of starting again at zero.
    static std::size_t sizeOf(std::initializer_list<std::uint64_t> sizes) {
        std::size_t sum = 0;
        for (const auto size : sizes) {
            sum = size > SIZE_MAX - sum ? SIZE_MAX : sum + size;
        }
        return sum;
    }

    // Makes room for bytes more of output (and what counts beside them), or notes at which size the
    // ceiling was passed.
    static bool fits(const Instance &instance, Pushed &pushed, std::size_t bytes,
                     std::size_t beside, std::size_t &overflow) {
        if (sizeOf({bytes, beside}) > instance.limits_.resultBytesMax - pushed.bytes) {
            overflow = std::max(sizeOf({pushed.bytes, bytes}), instance.limits_.resultBytesMax + 1);
            return false;
        }
        pushed.bytes += bytes + beside;
        return true;
    }

    static tenon_status result(void *context, tenon_call call, tenon_text json) noexcept {
        Instance &instance = self(context);
        return instance.calls_.change(call, [&](Pushed &pushed) {
            pushed.bytes -= std::min(pushed.bytes, pushed.output.data.size());
            pushed.output.data.clear();
            pushed.resultOverflow = 0;
            if (!fits(instance, pushed, json.size, 0, pushed.resultOverflow)) {
                return TENON_LIMIT;
            }
            pushed.output.data = view(json);
            return TENON_OK;
        });
    }

    static tenon_status content(void *context, tenon_call call,
                                const tenon_content *block) noexcept {
        Instance &instance = self(context);
        if (block == nullptr || block->struct_size < TENON_SIZE_CONTENT_V1_0 ||
            block->type < TENON_CONTENT_TEXT || block->type > TENON_CONTENT_LINK) {
            return spoil(instance, call,
                         block ? concat("content() was given struct_size ", block->struct_size,
                                        " and type ", block->type, "; expected at least ",
                                        TENON_SIZE_CONTENT_V1_0, " and a type from 1 to 5")
                               : "content() was given no block");
        }
        auto annotations = objectOf(block->annotations);
        auto meta = objectOf(block->meta);
        if (!annotations || !meta) {
            return spoil(instance, call,
                         "content() was given annotations or meta that are no JSON object");
        }
        static constexpr std::array kTypes{ContentBlock::Type::Text, ContentBlock::Type::Image,
                                           ContentBlock::Type::Audio, ContentBlock::Type::Resource,
                                           ContentBlock::Type::Link};
        const auto size =
            sizeOf({block->text.size, block->data.size, block->mime_type.size, block->uri.size,
                    block->name.size, block->title.size, block->description.size,
                    block->annotations.size, block->meta.size});
        return instance.calls_.change(call, [&](Pushed &pushed) {
            if (!fits(instance, pushed, size, kBlockBytes, pushed.contentOverflow)) {
                return TENON_LIMIT;
            }
            ContentBlock &out = pushed.output.content.emplace_back();
            out.type = kTypes[block->type - 1];
            out.text = shown(block->text);
            out.binary = block->data.data != nullptr;
            if (out.binary) {
                out.data.assign(reinterpret_cast<const char *>(block->data.data), block->data.size);
            }
            out.mimeType = shown(block->mime_type);
            out.uri = shown(block->uri);
            out.name = shown(block->name);
            out.title = shown(block->title);
            out.description = shown(block->description);
            out.annotations = std::move(*annotations);
            out.meta = std::move(*meta);
            return TENON_OK;
        });
    }

    static tenon_status fail(void *context, tenon_call call,
                             const tenon_failure *failure) noexcept {
        Instance &instance = self(context);
        if (failure == nullptr || failure->struct_size < TENON_SIZE_FAILURE_V1_0) {
            return spoil(instance, call, "fail() was given no failure, or one that is too short");
        }
        if (sizeOf({failure->code.size, failure->message.size, failure->details.size,
                    failure->hint.size}) > kFailureBytesMax) {
            return spoil(instance, call,
                         concat("fail() was given more than ", kFailureBytesMax, " bytes"));
        }
        if (!objectOf(failure->details)) {
            return spoil(instance, call, "fail() was given details that are no JSON object");
        }
        return instance.calls_.change(call, [&](Pushed &pushed) {
            AppError error{shown(failure->code), shown(failure->message)};
            error.status = static_cast<int>(std::min(failure->status, 599U));
            error.details = view(failure->details);
            error.hint = shown(failure->hint);
            if (failure->retryable == TENON_RETRY_YES || failure->retryable == TENON_RETRY_NO) {
                error.retryable = failure->retryable == TENON_RETRY_YES;
            }
            pushed.failure = std::move(error);
            return TENON_OK;
        });
    }

    static tenon_status raise(void *context, tenon_call call, tenon_text type,
                              tenon_text message) noexcept {
        return self(context).calls_.change(call, [&](Pushed &pushed) {
            pushed.raw = RawCause{shown(capped(type)), shown(capped(message))};
            return TENON_OK;
        });
    }

    static tenon_status complete(void *context, tenon_call call) noexcept {
        Instance &instance = self(context);
        if (!instance.settle(call)) {
            instance.log_.warning(
                concat(instance.origin_, ": completed a call that is over or never was"));
            return TENON_STALE;
        }
        return TENON_OK;
    }

    static tenon_status log(void *context, tenon_call call, std::uint32_t level,
                            tenon_text message) noexcept {
        Instance &instance = self(context);
        if (level < TENON_LOG_DEBUG || level > TENON_LOG_ERROR) {
            return TENON_INVALID;
        }
        static constexpr std::array kLevels{LogLevel::Debug, LogLevel::Info, LogLevel::Warning,
                                            LogLevel::Error};
        const auto found = instance.calls_.find(call);
        if (call != 0 && !found) {
            return TENON_STALE;
        }
        instance.log_.write(kLevels[level - 1], concat(instance.origin_, ": ", view(message)));
        if (found) {
            found->log(static_cast<CallLogLevel>(level), shown(message));
        }
        return TENON_OK;
    }

    static tenon_status progress(void *context, tenon_call call, double done, double total,
                                 tenon_text message) noexcept {
        const auto found = self(context).calls_.find(call);
        if (!found) {
            return TENON_STALE;
        }
        if (!std::isfinite(done) || !std::isfinite(total)) {
            return TENON_INVALID;
        }
        found->progress({done, total, shown(message)});
        return TENON_OK;
    }

    static std::uint32_t cancelRequested(void *context, tenon_call call) noexcept {
        const auto found = self(context).calls_.find(call);
        return !found || found->cancelled() ? 1 : 0;
    }

    static std::uint64_t remainingMs(void *context, tenon_call call) noexcept {
        const auto found = self(context).calls_.find(call);
        if (!found) {
            return 0;
        }
        if (found->deadline() == Clock::time_point::max()) {
            return UINT64_MAX;
        }
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(found->deadline() - Clock::now());
        return left.count() > 0 ? static_cast<std::uint64_t>(left.count()) : 0;
    }

    static tenon_status caller(void *context, tenon_call call, tenon_caller *out) noexcept {
        const auto found = self(context).calls_.find(call);
        if (!found) {
            return TENON_STALE;
        }
        if (out == nullptr || out->struct_size < TENON_SIZE_CALLER_V1_0) {
            return TENON_INVALID;
        }
        out->source = textOf(nameOf(found->caller().source));
        out->user_id = textOf(found->caller().userId);
        out->client_name = textOf(found->caller().clientName);
        return self(context).calls_.change(call, [&](Pushed &pushed) {
            if (pushed.traceparent.empty()) {
                pushed.traceparent = found->traceparent();
            }
            out->traceparent = textOf(pushed.traceparent);
            return TENON_OK;
        });
    }

    static const void *extension(void *context, tenon_text id) noexcept {
        static_cast<void>(context);
        static const tenon_log_v1 kLog{sizeof kLog, 0, &log};
        static const tenon_progress_v1 kProgress{sizeof kProgress, 0, &progress};
        static const tenon_cancellation_v1 kCancellation{sizeof kCancellation, 0, &cancelRequested,
                                                         &remainingMs};
        static const tenon_caller_v1 kCaller{sizeof kCaller, 0, &caller};
        const auto name = view(id);
        return name == TENON_EXT_LOG            ? static_cast<const void *>(&kLog)
               : name == TENON_EXT_PROGRESS     ? static_cast<const void *>(&kProgress)
               : name == TENON_EXT_CANCELLATION ? static_cast<const void *>(&kCancellation)
               : name == TENON_EXT_CALLER       ? static_cast<const void *>(&kCaller)
                                                : nullptr;
    }
};

Instance::Instance(std::string origin, const Limits &limits, Log &log)
    : origin_(std::move(origin)), limits_(limits), log_(log), host_{sizeof(tenon_host),
                                                                    TENON_ABI_MAJOR,
                                                                    0,
                                                                    TENON_ABI_MINOR,
                                                                    textOf("tenon"),
                                                                    textOf(TENON_VERSION),
                                                                    this,
                                                                    &Services::result,
                                                                    &Services::content,
                                                                    &Services::fail,
                                                                    &Services::raise,
                                                                    &Services::complete,
                                                                    &Services::extension} {}

Instance::~Instance() {
    end();
}

void Instance::end() noexcept {
    if (instance_ == nullptr || quarantined_) {
        return; // a thread may still be inside: nothing of it is touched again
    }
    tenon_instance *const ending = std::exchange(instance_, nullptr);
    if (table_->stop != nullptr) {
        table_->stop(ending);
    }
    table_->destroy(ending);
}

void Instance::adopt(const tenon_plugin *table, tenon_instance *instance) {
    table_ = table;
    instance_ = instance;
}

void Instance::invoke(const CallPtr &call) noexcept {
    const tenon_call handle = calls_.begin(call);
    if (call->cancelled()) { // a cancel() that came before begin() found no handle to speak of
        settle(handle);
        return;
    }
    const tenon_invocation invocation{sizeof invocation, TENON_KIND_TOOL, handle,
                                      textOf(call->toolName()), textOf(call->arguments())};
    const std::uint32_t answer = table_->invoke(instance_, &invocation);
    if (answer == TENON_PENDING) {
        return;
    }
    if (answer != TENON_DONE) {
        Services::spoil(
            *this, handle,
            concat("invoke() answered ", answer, "; expected TENON_DONE or TENON_PENDING"));
    }
    settle(handle);
}

// Ends the call with what was pushed; false when it was over, or was answered for meanwhile.
bool Instance::settle(tenon_call handle) noexcept {
    const bool live = calls_.find(handle) != nullptr;
    auto pushed = calls_.end(handle);
    if (pushed) {
        const CallPtr call = pushed->call;
        call->finish(outcomeOf(std::move(*pushed)));
    }
    return live && pushed;
}

HandlerOutcome Instance::outcomeOf(Pushed pushed) {
    if (pushed.raw) {
        return std::move(*pushed.raw);
    }
    if (pushed.failure) {
        return std::move(*pushed.failure);
    }
    pushed.output.overflow = std::max(pushed.resultOverflow, pushed.contentOverflow);
    return std::move(pushed.output);
}

void Instance::cancel(const CallPtr &call) noexcept {
    if (table_->cancel != nullptr) {
        if (const auto handle = calls_.handleOf(call); handle != 0) {
            table_->cancel(instance_, handle);
        }
    }
}

void Instance::abandon(const CallPtr &call) noexcept {
    calls_.abandon(call);
    if (!quarantined_.exchange(true)) {
        forGood_ = shared_from_this();
        log_.error(concat(origin_, ": a call of \"", call->toolName(),
                          "\" ignored its cancellation; the plugin takes no more calls"));
    }
}

std::string Instance::unavailable() const {
    return quarantined_ ? "a call of it ignored its cancellation" : "";
}

} // namespace tenon::plugin
