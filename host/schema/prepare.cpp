// SPDX-License-Identifier: Apache-2.0
// Schema::prepare: a value made to fit, where its meaning is beyond doubt.
#include "json/edits.h"
#include "schema/machine.h"
#include "schema/mender.h"
#include "support/text.h"

#include <algorithm>
#include <iterator>

namespace tenon::schema {

using json::Value;

namespace {

constexpr int kDropRoundsMax = 4;

// The text of a value without these members, and what each was.
std::string without(Value root, const std::vector<Machine::Unknown> &unknown,
                    std::vector<Change> &changes) {
    json::Edits edits(root);
    for (auto first = unknown.begin(); first != unknown.end();) {
        std::vector<std::uint32_t> members;
        const auto object = first->object;
        for (; first != unknown.end() && first->object == object; ++first) {
            members.push_back(first->member);
            if (changes.size() < kChangesMax) {
                changes.push_back({pointerTo(root, first->member),
                                   "left out, since the schema does not know the key"});
            }
        }
        edits.changeMembers(root.at(object), members, "");
    }
    return edits.apply();
}

// Leaves out the keys that no schema knows, unless the value would not be valid without them.
void dropUnknown(const Program &program, std::uint64_t stepsMax, Value value, Prepared &out) {
    for (int round = 0; round < kDropRoundsMax; ++round) { // a key may have made others known
        const Value current = out.document.empty() ? value : out.document.root();
        Machine machine(program, stepsMax);
        machine.run(0, current);
        if (machine.unknown().empty()) {
            return;
        }
        auto changes = out.changes;
        auto read = json::Document::read(without(current, machine.unknown(), changes),
                                         {current.raw().size(), UINT32_MAX});
        if (!Machine(program, stepsMax).run(0, read->root())) {
            return;
        }
        out.document = std::move(*read);
        out.changes = std::move(changes);
    }
}

} // namespace

Prepared Schema::prepare(Value value, std::size_t issuesMax) const {
    Prepared out;
    Machine quick(*program_, stepsMax_);
    bool valid = quick.run(0, value);
    const bool fill = fillDefaults_ && program_->hasDefaults;
    const bool drops = program_->unknownKeys == UnknownKeys::Drop;
    if (((valid || !mends_) && !fill) || !quick.limit().empty()) {
        if (!valid) {
            out.issues = validate(value, issuesMax);
        } else if (drops && !quick.unknown().empty()) {
            dropUnknown(*program_, stepsMax_, value, out);
        }
        return out;
    }
    const Mender::Rules rules{{bytesMax_, depthMax_}, coerce_, fillDefaults_, stepsMax_};
    const auto current = [&] { return out.document.empty() ? value : out.document.root(); };
    // What is made is kept unless it turns valid into not valid.
    const auto keep = [&](Mended mended) {
        if (!mended.document.empty()) {
            const bool validNow = Machine(*program_, stepsMax_).run(0, mended.document.root());
            if (validNow || !valid) {
                valid = validNow;
                out.document = std::move(mended.document);
                std::move(mended.changes.begin(), mended.changes.end(),
                          std::back_inserter(out.changes));
            }
        }
        return !mended.tooLarge;
    };
    if (!valid && mends_) {
        keep(mend(*program_, current(), Mender::Work::Coerce, rules));
    }
    if (fill && !keep(mend(*program_, current(), Mender::Work::FillDefaults, rules))) {
        out.issues = {{"", "limit",
                       concat("at most ", bytesMax_,
                              " bytes with all defaults filled in (limits.argumentsBytes)"),
                       "more", kindOf(value), ""}};
        return out;
    }
    if (!valid) {
        out.issues = validate(current(), issuesMax);
    } else if (drops) {
        dropUnknown(*program_, stepsMax_, value, out);
    }
    return out;
}

} // namespace tenon::schema
