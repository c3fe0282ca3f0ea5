// SPDX-License-Identifier: Apache-2.0
// Hooks that are Asio coroutines. Apart from hooks.h, because Asio is heavy to compile: include it
// where such a hook is made.
#pragma once

#include "runner/hooks.h"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>

#include <utility>

namespace tenon {

// A hook made of a coroutine function, Event -> awaitable<Answer>, which runs on the executor:
//
//     hooks.beforeToolCall = awaiting<BeforeToolCall, std::optional<std::string>>(
//         context.get_executor(),
//         [](const BeforeToolCall &event) -> asio::awaitable<std::optional<std::string>> { ... });
//
// The event stays valid until the coroutine is done. What it throws counts as thrown by the hook.
template <class Event, class Answer, class Function>
Hook<Event, Answer> awaiting(boost::asio::any_io_executor executor, Function function) {
    return Hook<Event, Answer>::suspending(
        [executor = std::move(executor),
         function = std::move(function)](const Event &event, Continuation<Answer> continuation) {
            boost::asio::co_spawn(executor, function(event),
                                  [continuation](std::exception_ptr error, Answer answer) {
                                      if (error) {
                                          continuation.reject(error);
                                      } else {
                                          continuation.resolve(std::move(answer));
                                      }
                                  });
        });
}

} // namespace tenon
