// SPDX-License-Identifier: Apache-2.0
// What Schema::prepare mends. Private to this folder.
//
// A round looks at every value with the nodes that apply to it and notes edits of the text; what is
// not edited keeps its bytes. The next round reads the new text, until one finds nothing to do.
#pragma once

#include "json/edits.h"
#include "schema/program.h"
#include "schema/schema.h"

#include <string>
#include <string_view>
#include <vector>

namespace tenon::schema {

constexpr std::size_t kChangesMax = 100; // that are told

class Mender {
public:
    enum class Work { Coerce, FillDefaults };

    struct Rules {
        json::ReadLimits limits; // of what comes out
        bool readStrings, fillDefaults;
        std::uint64_t stepsMax; // of one round; beyond them nothing is mended
    };

    Mender(const Program &program, Work work, const Rules &rules)
        : program_(program), work_(work), rules_(rules), stepsLeft_(rules.stepsMax) {}

    enum class Round { Nothing, Edited, TooLarge };
    // One round; where it edited, `text` is the new text.
    Round round(json::Value root, std::vector<Change> &changes, std::string &text);

private:
    struct Open {
        json::Value value;
        std::vector<NodeIndex> nodes; // each applies to it
        std::size_t place = 0;        // index into places_
    };
    struct Place { // a link of the way from the root
        std::size_t parent;
        std::string_view key;
        std::size_t item; // SIZE_MAX: key is it
    };
    std::vector<NodeIndex> closure(const std::vector<NodeIndex> &nodes, json::Value value) const;
    NodeIndex chosen(const Op &choice, json::Value value) const;
    bool contradicts(NodeIndex branch, json::Value object) const;
    bool cannotBe(NodeIndex node, json::Value value) const;
    std::uint32_t typesOf(const std::vector<NodeIndex> &nodes) const;
    bool readString(const Open &open);
    void object(const Open &open, const std::vector<NodeIndex> &nodes);
    void array(const Open &open, const std::vector<NodeIndex> &nodes);
    std::vector<NodeIndex> nodesFor(std::string_view key,
                                    const std::vector<NodeIndex> &nodes) const;
    bool isOptional(std::string_view key, const std::vector<NodeIndex> &nodes) const;
    std::string defaultsFor(const Open &open, const std::vector<NodeIndex> &nodes);

    template <class Each>
    void forOps(const std::vector<NodeIndex> &nodes, OpCode code, Each each) const {
        for (const NodeIndex node : nodes) {
            for (const Op *op = program_.begin(node); op != program_.end(node); ++op) {
                if (op->code == code) {
                    each(*op);
                }
            }
        }
    }
    bool spend(std::uint64_t steps) const {
        stepsLeft_ -= std::min(steps, stepsLeft_);
        return stepsLeft_ > 0;
    }
    // Whether there can be work in or on a value.
    bool mayHold(json::Value value) const {
        return value.size() > 0 || value.isObject() ||
               (value.isString() && work_ == Work::Coerce && rules_.readStrings);
    }
    std::size_t placeBelow(std::size_t parent, std::string_view key, std::size_t item = SIZE_MAX) {
        places_.push_back({parent, key, item});
        return places_.size() - 1;
    }
    void changed(std::size_t place, std::string_view what);

    const Program &program_;
    const Work work_;
    const Rules rules_;
    std::size_t added_ = 0; // bytes of defaults
    mutable std::uint64_t stepsLeft_;
    json::Edits *edits_ = nullptr;
    std::vector<Open> open_;
    std::vector<Place> places_; // the first is the root
    std::vector<Change> *changes_ = nullptr;
};

// The rounds of one kind of work.
struct Mended {
    json::Document document; // empty: nothing was to be done
    std::vector<Change> changes;
    bool tooLarge = false;
};
Mended mend(const Program &program, json::Value value, Mender::Work work,
            const Mender::Rules &rules);

} // namespace tenon::schema
