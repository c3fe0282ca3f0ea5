// SPDX-License-Identifier: Apache-2.0
// A hook run within a call. Private to this folder.
#pragma once

#include "runner/call.h"

namespace tenon {

// Runs one hook and hands its answer, or what it threw, to `answered`.
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
    const auto settle = [kept, number, answered](Call &call, Answered<Answer> answer) {
        if (call.resume(number)) {
            (call.*answered)(std::move(answer));
            call.advance();
        }
    };
    const Continuation<Answer> continuation([self = shared_from_this(), settle, site](auto given) {
        if (auto *error = std::get_if<std::exception_ptr>(&given)) {
            settle(*self, thrownBy(site, std::move(*error)));
        } else {
            settle(*self, std::move(std::get<Answer>(given)));
        }
    });
    if (closing_) { // the call's own time limit no longer counts
        afterWatchGrace([settle, site](Call &call) {
            settle(call,
                   RawCause{"no answer", "the hook did not answer in time", nullptr, nameOf(site)});
        });
    }
    if (auto thrown = guarded(site, [&] { hook.suspendingForm()(*kept, continuation); })) {
        settle(*this, std::move(*thrown));
    }
    return Goes::Suspended;
}

} // namespace tenon
