// SPDX-License-Identifier: Apache-2.0
// What each provider takes of a schema whose root is plain already: private to the projections.
#pragma once

#include "schema/projection/projection.h"
#include "schema/projection/tree.h"

#include <map>
#include <string>
#include <vector>

namespace tenon::schema {

// Rewrites the tree to what the provider takes, as a superset (projection_fit.cpp).
void fit(SchemaTree &tree, Provider provider, Losses &losses);

// The same for Gemini's subset (projection_gemini.cpp).
class GeminiFitter {
public:
    GeminiFitter(SchemaTree &tree, Losses &losses) : tree_(tree), losses_(losses) {}
    void nameRoot();         // before: what refers to the root refers to a definition
    void fit(NodeId schema); // its parts come first
    void breakCycles();      // after

private:
    void never(NodeId schema);
    void neverKeys(NodeId schema);
    void neverItems(NodeId schema);
    void joinAll(NodeId schema);
    bool join(NodeId schema, NodeId part);
    bool joinMember(NodeId schema, const std::string &key, NodeId value);
    void oneOf(NodeId schema);
    void values(NodeId schema);
    void bounds(NodeId schema);
    void keywords(NodeId schema);
    void requiredKeys(NodeId schema);
    void widen(NodeId schema, std::string words);

    SchemaTree &tree_;
    Losses &losses_;
};

// Rewrites the tree to the provider's strict form, if it says the same then. Else gives the reasons
// and leaves the tree in no particular state (projection_strict.cpp).
struct StrictForm {
    Losses lost; // annotations
    Losses reasons;
    std::size_t optionalKeys = 0;
    std::size_t unions = 0;
};
StrictForm makeStrict(SchemaTree &tree, Provider provider);

// The schemas where a null that stands for an absent key could not be told from one that is meant,
// and why: they have no strict form of OpenAI (nulls.cpp).
std::map<NodeId, std::string> untoldNulls(const SchemaTree &tree);

// What is more than OpenAI's strict form takes (projection_budgets.cpp).
Losses overOpenAiBudgets(const SchemaTree &tree);

// false, or {"not": {}} in any spelling.
bool isNever(const SchemaTree &tree, NodeId schema);
// Whether each value that one of these takes is taken by none of the others, as far as types and
// the values of a common required key tell.
bool areDisjoint(const SchemaTree &tree, NodeId list);

// A reference that can lead back to where it stands.
struct CyclicReference {
    NodeId schema;   // that holds the "$ref"
    NodeId owner;    // the object schema nearest above it in its definition, or kNoNode
    std::string key; // and the key of it that the reference is under
};
std::vector<CyclicReference> cyclicReferences(const SchemaTree &tree);

} // namespace tenon::schema
