// SPDX-License-Identifier: Apache-2.0
// A hook run within a call. Private to this folder.
#pragma once

#include "runner/call.h"

#include <thread>

namespace tenon {

// Runs one hook and hands its answer, or what it threw, to `answered`. A hook that suspends may
// answer on any thread: the call then goes on on the pool. If it answers before it returns, it goes
// on where it was.
template <class Event, class Answer>
Call::Goes Call::runHook(ThrowSite site, const Hook<Event, Answer> &hook, Event event,
                         void (Call::*answered)(Answered<Answer>)) {
    if (hook.plain()) {
        Answered<Answer> answer;
        if (auto thrown = guarded(site, [&] { answer = hook.plain()(event); })) {
            answer = std::move(*thrown);
        }
        (this->*answered)(std::move(answer));
        return Goes::On;
    }
    const auto number = suspend(Suspension::Hook);
    const auto kept = std::make_shared<Event>(std::move(event));
    // True for the answer that counts. One that comes too late is dropped, if it is no throw.
    const auto settle = [kept, number, answered](Call &call, Answered<Answer> answer) {
        auto *thrown = std::get_if<HandlerOutcome>(&answer);
        if (!call.resume(number)) {
            if (thrown != nullptr) {
                call.swallowLate(*thrown);
            }
            return false;
        }
        if (call.stop_.load() != Stop::None && !call.closing_) {
            if (thrown != nullptr) {
                call.swallow(*thrown, "after it was told to stop");
            }
            call.concludeStopped();
        } else {
            (call.*answered)(std::move(answer));
        }
        return true;
    };
    const auto inside = std::make_shared<std::atomic<std::thread::id>>(std::this_thread::get_id());
    const auto goOn = [self = shared_from_this(), settle, inside](Answered<Answer> answer) {
        const bool here = inside->load() == std::this_thread::get_id();
        if (!settle(*self, std::move(answer))) {
            return;
        }
        if (here) {
            self->advance();
        } else {
            self->parts_.scheduler.post([self] { self->advance(); });
        }
    };
    const Continuation<Answer> continuation([goOn, site](auto given) {
        if (auto *error = std::get_if<std::exception_ptr>(&given)) {
            goOn(thrownBy(site, std::move(*error)));
        } else {
            goOn(std::move(std::get<Answer>(given)));
        }
    });
    if (closing_) { // the call's own time limit no longer counts
        afterWatchGrace([settle, site](Call &call) {
            const RawCause late{"no answer", "the hook did not answer in time", nullptr,
                                nameOf(site)};
            if (settle(call, late)) {
                call.hookGivenUp_ = true;
                call.advance();
            }
        });
    }
    if (auto thrown = guarded(site, [&] { hook.suspendingForm()(*kept, continuation); })) {
        goOn(std::move(*thrown));
    }
    *inside = std::thread::id();
    return Goes::Suspended;
}

} // namespace tenon
