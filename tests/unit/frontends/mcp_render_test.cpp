// SPDX-License-Identifier: Apache-2.0
// The shapes of each revision. That they fit the published schemas is tests/conformance.
#include "frontends/mcp/render.h"
#include "testing.h"

using Catch::Matchers::Contains;
using namespace tenon;
using namespace tenon::mcp;

namespace {

const std::string kTool = R"({"name":"t","title":"T","description":"d",
    "inputSchema":{"type":"object"},"outputSchema":{"type":"object"},
    "annotations":{"readOnlyHint":true},"icons":[{"src":"data:,"}],"_meta":{"k":1}})";
const std::string kPlain = R"({"name":"p","inputSchema":{"type":"object"}})";
const std::string kList = R"({"name":"l","inputSchema":{"type":"object"},
    "outputSchema":{"type":"array"}})";

struct Server {
    Server()
        : catalog(tenon::testing::mountedOf(kTool + "," + kPlain + "," + kList,
                                            std::make_shared<tenon::testing::FunctionHandler>(
                                                [](const CallPtr &) { return std::nullopt; }))),
          rendered(*catalog, {"srv", "1.10", "Read \"this\"."}) {}
    const catalog::Tool &tool(std::string_view name) const { return *catalog->find(name)->tool; }
    std::string output(const Output &result, Revision revision, std::string_view name = "t") const {
        return rendered.callOutput(result, tool(name), revision);
    }

    std::shared_ptr<const catalog::MountedCatalog> catalog;
    Rendered rendered;
};

json::Document read(std::string text) {
    REQUIRE(text.find('\n') == text.npos); // a stdio message is one line
    auto document = json::Document::read(std::move(text));
    REQUIRE(document.has_value());
    return std::move(*document);
}

std::string keysOf(json::Value object) {
    std::string out;
    for (const auto member : object.members()) {
        out += std::string(member.key) + " ";
    }
    return out;
}

constexpr std::array kAll{Revision::R2024_11_05, Revision::R2025_03_26, Revision::R2025_06_18,
                          Revision::R2025_11_25, Revision::R2026_07_28};
constexpr std::array kLegacy{Revision::R2024_11_05, Revision::R2025_03_26, Revision::R2025_06_18,
                             Revision::R2025_11_25};

ContentBlock block(ContentBlock::Type type) {
    ContentBlock out;
    out.type = type;
    out.mimeType = "x/y";
    return out;
}

} // namespace

TEST_CASE("Every revision has its name, and no other name is one") {
    for (const auto revision : kAll) {
        CHECK(revisionOf(nameOf(revision)) == revision);
    }
    for (const auto *other : {"", "banana", "2024-11-5", "2025-06-19", "1.0", "2026-07-28 "}) {
        CHECK_FALSE(revisionOf(other));
    }
    CHECK(isModern(Revision::R2026_07_28));
    CHECK_FALSE(isModern(Revision::R2025_11_25));
}

TEST_CASE("A listed tool has the members that its revision knows, and no others") {
    const Server server;
    const std::pair<Revision, std::string_view> keys[] = {
        {Revision::R2024_11_05, "name description inputSchema "},
        {Revision::R2025_03_26, "name description inputSchema annotations "},
        {Revision::R2025_06_18,
         "name title description inputSchema outputSchema annotations _meta "},
        {Revision::R2025_11_25,
         "name title description inputSchema outputSchema annotations icons _meta "},
        {Revision::R2026_07_28,
         "name title description inputSchema outputSchema annotations icons _meta "}};
    for (const auto &[revision, expected] : keys) {
        CAPTURE(nameOf(revision));
        const auto document = read(server.rendered.toolsList(revision));
        const auto tools = document.root()["tools"];
        REQUIRE(tools.size() == 3);
        auto tool = tools.items().begin();
        CHECK(keysOf(*tool) == expected);
        ++tool;
        CHECK(keysOf(*tool) == "name description inputSchema ");
        ++tool; // an output schema of an array is for the newest revision alone
        CHECK(bool((*tool)["outputSchema"]) == isModern(revision));
    }
}

TEST_CASE("A list carries the catalog's stamp, and in the modern revision how long it holds") {
    const Server server;
    for (const auto revision : kAll) {
        CAPTURE(nameOf(revision));
        const auto document = read(server.rendered.toolsList(revision));
        const auto stamp = document.root()["_meta"]["tenon/catalog"];
        CHECK(stamp["digest"].string() == server.catalog->digest().substr(0, 16));
        CHECK(stamp["tools"].raw() == "3");
    }
    const auto modern = read(server.rendered.toolsList(kModern));
    CHECK(modern.root()["resultType"].string() == "complete");
    CHECK(modern.root()["ttlMs"].isNumber());
    CHECK(modern.root()["cacheScope"].string() == "public");
    CHECK(modern.root()["_meta"]["io.modelcontextprotocol/serverInfo"]["name"].string() == "srv");
    const auto legacy = read(server.rendered.toolsList(kNewestLegacy));
    CHECK(keysOf(legacy.root()) == "tools _meta ");
}

TEST_CASE("initialize answers with the revision that was asked for") {
    const Server server;
    for (const auto revision : kLegacy) {
        const auto document = read(server.rendered.initialize(revision));
        CHECK(document.root()["protocolVersion"].string() == nameOf(revision));
        CHECK(document.root()["serverInfo"].raw() == R"({"name":"srv","version":"1.10"})");
        CHECK(document.root()["capabilities"]["tools"].isObject());
        CHECK(document.root()["instructions"].string() == "Read \"this\".");
    }
    const Rendered silent(*server.catalog, {"srv", "1", ""});
    CHECK_FALSE(read(silent.initialize(kNewestLegacy)).root()["instructions"]);
}

TEST_CASE("discover says what the modern revision asks for") {
    const Server server;
    const auto document = read(server.rendered.discover());
    CHECK(keysOf(document.root()) == "resultType supportedVersions capabilities instructions ttlMs "
                                     "cacheScope _meta ");
    CHECK(document.root()["supportedVersions"].raw() == R"(["2026-07-28"])");
}

TEST_CASE("Data comes as text in every revision, and structured where the revision knows it") {
    const Server server;
    const Output output{R"({"id":9007199254740993})", {}, 0};
    for (const auto revision : kAll) {
        CAPTURE(nameOf(revision));
        const auto document = read(server.output(output, revision));
        const auto content = document.root()["content"];
        REQUIRE(content.size() == 1);
        CHECK((*content.items().begin())["text"].string() == output.data);
        const auto structured = document.root()["structuredContent"];
        CHECK(structured.raw() == (revision >= Revision::R2025_06_18 ? output.data : ""));
        CHECK_FALSE(document.root()["isError"]);
    }
    CHECK_FALSE(read(server.output(output, kModern, "p")).root()["structuredContent"]);
    const Output list{"[1]", {}, 0};
    CHECK_FALSE(read(server.output(list, kNewestLegacy, "l")).root()["structuredContent"]);
    CHECK(read(server.output(list, kModern, "l")).root()["structuredContent"].raw() == "[1]");
}

TEST_CASE("Data over several lines becomes one line with the same numbers") {
    const Server server;
    const auto document = read(server.output(Output{"{\r\n \"x\": 1.50\n}", {}, 0}, kModern));
    CHECK(document.root()["structuredContent"].raw() == R"({"x":1.50})");
}

TEST_CASE("No answer at all is an empty content list") {
    const Server server;
    for (const auto revision : kAll) {
        CHECK(read(server.output(Output{}, revision)).root()["content"].raw() == "[]");
    }
}

TEST_CASE("Each block has the shape of its type") {
    const Server server;
    using Type = ContentBlock::Type;
    ContentBlock text = block(Type::Text), image = block(Type::Image), audio = block(Type::Audio);
    ContentBlock resource = block(Type::Resource), bytes = block(Type::Resource);
    ContentBlock link = block(Type::Link), bare = block(Type::Link);
    text.text = "a\n\"b\"";
    text.annotations = R"({"priority":1})";
    text.meta = R"({"m":1})";
    image.data = audio.data = std::string("\0\xFF", 2);
    resource.uri = bytes.uri = link.uri = bare.uri = "file:///a";
    resource.text = "T";
    bytes.binary = true;
    bytes.data = "foo";
    link.name = "n";
    link.title = "t";
    link.description = "d";
    bare.mimeType = "";
    const auto document = read(server.output(
        Output{"", {text, image, audio, resource, bytes, link, bare}, 0}, Revision::R2025_11_25));
    CHECK(document.root()["content"].raw() ==
          R"([{"type":"text","text":"a\n\"b\"","annotations":{"priority":1},"_meta":{"m":1}},)"
          R"({"type":"image","data":"AP8=","mimeType":"x/y"},)"
          R"({"type":"audio","data":"AP8=","mimeType":"x/y"},)"
          R"({"type":"resource","resource":{"uri":"file:///a","mimeType":"x/y","text":"T"}},)"
          R"({"type":"resource","resource":{"uri":"file:///a","mimeType":"x/y","blob":"Zm9v"}},)"
          R"({"type":"resource_link","uri":"file:///a","name":"n","title":"t","description":"d",)"
          R"("mimeType":"x/y"},)"
          R"({"type":"resource_link","uri":"file:///a","name":"file:///a"}])");
}

TEST_CASE("A block that a revision does not know becomes text that says what it was") {
    const Server server;
    ContentBlock audio = block(ContentBlock::Type::Audio), link = block(ContentBlock::Type::Link);
    audio.data = "12345";
    link.name = "Report";
    link.uri = "file:///r";
    const Output output{"", {audio, link}, 0};
    CHECK(read(server.output(output, Revision::R2024_11_05)).root()["content"].raw() ==
          R"j([{"type":"text","text":"(audio, x/y, 5 bytes)"},)j"
          R"j({"type":"text","text":"Report: file:///r"}])j");
    CHECK_THAT(server.output(output, Revision::R2025_03_26),
               Contains(R"("type":"audio")") && Contains("Report: file:///r"));
    ContentBlock text;
    text.text = "x";
    text.meta = R"({"m":1})";
    CHECK_THAT(server.output(Output{"", {text}, 0}, Revision::R2025_03_26), !Contains(R"("m":1)"));
}

TEST_CASE("A failure is a result with isError, its object as text") {
    const Server server;
    const std::string failure = R"({"error":"NOT_FOUND","details":{"message":"say \"x\""}})";
    for (const auto revision : kAll) {
        CAPTURE(nameOf(revision));
        const auto document = read(server.rendered.callFailure(failure, revision));
        CHECK(document.root()["isError"].isTrue());
        CHECK((*document.root()["content"].items().begin())["text"].string() == failure);
        CHECK(bool(document.root()["resultType"]) == isModern(revision));
    }
}

TEST_CASE("An empty result is {} but for what the modern revision adds") {
    const Server server;
    for (const auto revision : kLegacy) {
        CHECK(server.rendered.empty(revision) == "{}");
    }
    CHECK(keysOf(read(server.rendered.empty(kModern)).root()) == "resultType _meta ");
}
