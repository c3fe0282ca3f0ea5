// SPDX-License-Identifier: Apache-2.0
// How much a schema of OpenAI's strict form may hold:
// https://platform.openai.com/docs/guides/structured-outputs#supported-schemas
#include "schema/projection/fit.h"
#include "support/text.h"

#include <algorithm>

namespace tenon::schema {

namespace {

constexpr std::size_t kPropertiesMax = 5'000;
constexpr std::size_t kDepthMax = 10;
constexpr std::size_t kNameBytesMax = 120'000; // of keys, definitions, enum and const values
constexpr std::size_t kEnumValuesMax = 1'000;
constexpr std::size_t kLongEnum = 250; // values; of more, the strings are limited together
constexpr std::size_t kLongEnumBytesMax = 15'000;

class Counter {
public:
    explicit Counter(const SchemaTree &tree) : tree_(tree) {}

    Losses run() {
        budgets();
        return std::move(over_);
    }

private:
    void budgets() {
        std::size_t properties = 0, values = 0, bytes = 0;
        const auto definitions = tree_.find(tree_.root, "$defs");
        for (std::size_t i = 0; definitions != kNoNode && i < tree_[definitions].members.size();
             ++i) {
            bytes += tree_[definitions].members[i].first.size();
        }
        for (const auto schema : tree_.schemas(tree_.root)) {
            if (const auto keys = tree_.find(schema, "properties"); keys != kNoNode) {
                properties += tree_[keys].members.size();
                for (const auto &member : tree_[keys].members) {
                    bytes += member.first.size();
                }
            }
            if (const auto constant = tree_.find(schema, "const"); constant != kNoNode) {
                bytes += tree_[constant].text.size();
            }
            const auto listed = tree_.values(tree_.find(schema, "enum"));
            std::size_t listedBytes = 0;
            for (const auto &value : listed) {
                listedBytes += value.size();
            }
            values += listed.size();
            bytes += listedBytes;
            if (listed.size() > kLongEnum) {
                most(schema, "bytes in the values of one long enum", listedBytes,
                     kLongEnumBytesMax);
            }
        }
        most(tree_.root, "properties", properties, kPropertiesMax);
        most(tree_.root, "enum values", values, kEnumValuesMax);
        most(tree_.root, "bytes of keys and listed values", bytes, kNameBytesMax);
        most(tree_.root, "levels of objects and arrays", depth(), kDepthMax);
    }
    void most(NodeId schema, std::string_view what, std::size_t seen, std::size_t limit) {
        if (seen > limit) {
            over_.push_back(
                {schema, concat(seen, " ", what, "; OpenAI's strict form takes ", limit)});
        }
    }

    // Of objects and arrays in one another; what a reference leads to counts by itself.
    std::size_t depth() const {
        std::size_t deepest = 0;
        std::vector<std::pair<NodeId, std::size_t>> open{{tree_.root, 0}};
        while (!open.empty()) {
            const auto [id, above] = open.back();
            open.pop_back();
            const auto types = tree_.words(tree_.find(id, "type"));
            const bool level = tree_[id].kind == TreeNode::Kind::Schema &&
                               std::any_of(types.begin(), types.end(), [](const auto &type) {
                                   return type == "object" || type == "array";
                               });
            const auto here = above + (level ? 1 : 0);
            deepest = std::max(deepest, here);
            for (const auto &[key, value] : tree_[id].members) {
                open.emplace_back(value, key == "$defs" ? 0 : here);
            }
        }
        return deepest;
    }

    const SchemaTree &tree_;
    Losses over_;
};

} // namespace

Losses overOpenAiBudgets(const SchemaTree &tree) {
    return Counter(tree).run();
}

} // namespace tenon::schema
