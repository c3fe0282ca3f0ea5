// SPDX-License-Identifier: Apache-2.0
// Any JSON as a message.
#include "transport/jsonrpc.h"
#include "check.h"

using namespace tenon;
using namespace tenon::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    json::Document document;
    json::ReadLimits limits;
    limits.refuseFlaws = false;
    if (!document.readView(textOf(data, size), limits)) {
        return 0;
    }
    const auto envelope = transport::readEnvelope(document.root());
    const bool invalid = envelope.kind == transport::Envelope::Kind::Invalid;
    must(invalid == !envelope.problem.empty(), "an invalid message has a problem, no other has");
    const auto answer =
        transport::errorMessage(envelope.id, transport::kInvalidRequest, envelope.problem);
    const auto read = readAgain(answer, "an answer is JSON");
    if (!envelope.id.empty() && document.flaw().empty()) {
        must(json::equal(read.root()["id"], document.root()["id"]), "an answer has its id");
        (void)transport::idKey(read.root()["id"]);
    }
    return 0;
}
