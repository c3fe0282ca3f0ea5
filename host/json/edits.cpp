// SPDX-License-Identifier: Apache-2.0
#include "json/edits.h"

#include <algorithm>

namespace tenon::json {

void Edits::put(const char *start, const char *end, std::string text) {
    const char *const begin = root_.raw().data();
    edits_.push_back({static_cast<std::size_t>(start - begin),
                      static_cast<std::size_t>(end - begin), std::move(text)});
}

void Edits::replace(Value value, std::string text) {
    const auto raw = value.raw();
    put(raw.data(), raw.data() + raw.size(), std::move(text));
}

// A member goes with the comma behind it; those at the end go with the one before them.
void Edits::changeMembers(Value object, const std::vector<std::uint32_t> &dropped,
                          std::string_view added) {
    const auto raw = object.raw();
    const char *const close = raw.data() + raw.size() - 1;
    const char *keptEnd = raw.data() + 1;
    const char *droppedFrom = nullptr; // the first of a run of them
    bool isEmpty = true;
    auto next = dropped.begin();
    for (const auto member : object.members()) {
        const char *const key = object.at(member.value.index() - 1).raw().data();
        if (next != dropped.end() && *next == member.value.index()) {
            ++next;
            droppedFrom = droppedFrom != nullptr ? droppedFrom : key;
            continue;
        }
        if (droppedFrom != nullptr) {
            put(droppedFrom, key, "");
            droppedFrom = nullptr;
        }
        keptEnd = member.value.raw().data() + member.value.raw().size();
        isEmpty = false;
    }
    if (droppedFrom != nullptr) {
        put(keptEnd, close, "");
    }
    if (!added.empty()) {
        put(close, close, (isEmpty ? "" : ",") + std::string(added));
    }
}

std::string Edits::apply() const {
    auto edits = edits_;
    std::stable_sort(edits.begin(), edits.end(),
                     [](const Edit &a, const Edit &b) { return a.start < b.start; });
    const auto raw = root_.raw();
    std::string text;
    std::size_t done = 0;
    for (const Edit &edit : edits) {
        text += raw.substr(done, edit.start - done);
        text += edit.text;
        done = edit.end;
    }
    return text += raw.substr(done);
}

} // namespace tenon::json
