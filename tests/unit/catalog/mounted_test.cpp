// SPDX-License-Identifier: Apache-2.0
#include "catalog/mounted.h"
#include "support/text.h"

#include <catch2/catch.hpp>

using Catch::Matchers::Contains;
using tenon::concat;
using tenon::Limits;
using tenon::catalog::Catalog;
using tenon::catalog::Mount;
using tenon::catalog::MountedCatalog;

namespace {

Mount mountOf(const std::string &origin, const std::vector<std::string> &names) {
    std::string tools;
    for (const auto &name : names) {
        tools += concat(tools.empty() ? "" : ",", R"({"name":")", name,
                        R"(","inputSchema":{"type":"object"}})");
    }
    const auto made =
        Catalog::fromJson(concat(R"({"id":"p","version":"1","tools":[)", tools, "]}"), Limits());
    REQUIRE(made.has_value());
    Mount mount;
    mount.catalog = *made;
    mount.origin = origin;
    return mount;
}

std::shared_ptr<const MountedCatalog> mounted(std::vector<Mount> mounts) {
    auto made = MountedCatalog::make(std::move(mounts));
    INFO((made ? "" : made.error().message));
    REQUIRE(made.has_value());
    return *made;
}

std::vector<std::string> namesOf(const MountedCatalog &catalog) {
    std::vector<std::string> names;
    for (const auto &tool : catalog.tools()) {
        names.push_back(tool.name);
    }
    return names;
}

tenon::Error refusal(std::vector<Mount> mounts) {
    const auto made = MountedCatalog::make(std::move(mounts));
    REQUIRE_FALSE(made.has_value());
    return made.error();
}

using Names = std::vector<std::string>;

} // namespace

TEST_CASE("Tools come in mount order, then as declared, under their prefix") {
    auto first = mountOf("a.so", {"z", "b"});
    auto second = mountOf("b.so", {"b", "a"});
    second.prefix = "x_";
    const auto catalog = mounted({first, second});
    CHECK(namesOf(*catalog) == Names{"z", "b", "x_b", "x_a"});
    REQUIRE(catalog->find("x_b") != nullptr);
    CHECK(catalog->find("x_b")->tool->name == "b");
    CHECK(catalog->find("x_b")->mount == 1);
    CHECK(catalog->find("x_z") == nullptr);
    CHECK(catalog->find("") == nullptr);
    CHECK(catalog->find("Z") == nullptr);
}

TEST_CASE("No mounts make an empty catalog") {
    const auto catalog = mounted({});
    CHECK(catalog->tools().empty());
    CHECK(catalog->nearestTo("x").empty());
    CHECK(catalog->digest().size() == 64);
}

TEST_CASE("allow and deny speak of the plugin's own names, and deny wins") {
    auto mount = mountOf("a.so", {"read", "write", "list"});
    mount.prefix = "fs_";
    mount.allow = {"list", "read"};
    CHECK(namesOf(*mounted({mount})) == Names{"fs_read", "fs_list"});
    mount.deny = {"read"};
    CHECK(namesOf(*mounted({mount})) == Names{"fs_list"});
    mount.allow = {};
    CHECK(namesOf(*mounted({mount})) == Names{"fs_write", "fs_list"});
    mount.deny = {"read", "write", "list"};
    CHECK(mounted({mount})->tools().empty());
}

TEST_CASE(
    "A filter that matches nothing is an error that names the filter, the tools and the nearest") {
    auto mount = mountOf("a.so", {"read_file", "write_file"});
    mount.deny = {"wirte_file"};
    const auto error = refusal({mount});
    CHECK(error.code == "catalog.filter");
    CHECK(error.message == "the tool filter \"wirte_file\" matches no tool of a.so; its tools are "
                           "read_file and write_file (did you mean write_file?)");
    mount.deny = {};
    mount.allow = {"zzz"};
    CHECK_THAT(refusal({mount}).message, Contains("\"zzz\" matches no tool") && !Contains("mean"));
}

TEST_CASE("Two tools under one name are an error that names both origins") {
    const auto error = refusal({mountOf("a.so", {"read"}), mountOf("b.so", {"Read"})});
    CHECK(error.code == "catalog.collision");
    CHECK(error.message ==
          "two tools come under the name \"Read\": one of a.so and one of b.so; set "
          "a prefix or deny one of them");
    auto prefixed = mountOf("b.so", {"ad"});
    prefixed.prefix = "re";
    CHECK_THAT(refusal({mountOf("a.so", {"read"}), prefixed}).message, Contains("\"read\""));
}

TEST_CASE("A collision goes away with a prefix or a filter") {
    auto second = mountOf("b.so", {"read", "other"});
    second.prefix = "b_";
    CHECK(mounted({mountOf("a.so", {"read"}), second})->tools().size() == 3);
    second.prefix = "";
    second.deny = {"read"};
    CHECK(namesOf(*mounted({mountOf("a.so", {"read"}), second})) == Names{"read", "other"});
}

TEST_CASE("A mounted name of 128 characters is taken; 129, or another character, is refused") {
    auto mount = mountOf("a.so", {std::string(100, 'x')});
    mount.prefix = std::string(28, 'p');
    CHECK(mounted({mount})->tools()[0].name.size() == 128);
    mount.prefix += 'p';
    const auto error = refusal({mount});
    CHECK(error.code == "catalog.name");
    CHECK_THAT(error.message, Contains("of a.so has 129 characters; expected 1 to 128 of A-Z"));
    mount.prefix = "a/";
    CHECK_THAT(refusal({mount}).message,
               Contains("the mounted name \"a/xxx") &&
                   Contains("of a.so has a character that names may not have; expected 1 to 128"));
}

TEST_CASE("The nearest mounted name is found for one that is not there") {
    auto mount = mountOf("a.so", {"read_file", "write_file"});
    mount.prefix = "code_";
    const auto catalog = mounted({mount});
    CHECK(catalog->nearestTo("read_file") == "code_read_file");
    CHECK(catalog->nearestTo("code_raed_file") == "code_read_file");
    CHECK(catalog->nearestTo("weather").empty());
}

TEST_CASE("The digest covers names and catalogs, and is the same for the same mounts") {
    const auto plain = mountOf("a.so", {"a", "b"});
    auto moved = plain;
    moved.origin = "elsewhere.so"; // not what is served
    auto prefixed = plain, filtered = plain;
    prefixed.prefix = "p";
    filtered.deny = {"b"};
    const auto digest = mounted({plain})->digest();
    CHECK(digest.size() == 64);
    CHECK(mounted({moved})->digest() == digest);
    CHECK(mounted({prefixed})->digest() != digest);
    CHECK(mounted({filtered})->digest() != digest);
    CHECK(mounted({mountOf("a.so", {"b", "a"})})->digest() != digest);
}

TEST_CASE("Each source of a call has its name") {
    CHECK(nameOf(tenon::Source::Mcp) == "mcp");
    CHECK(nameOf(tenon::Source::Agent) == "agent");
    CHECK(nameOf(tenon::Source::Cli) == "cli");
    CHECK(nameOf(tenon::Source::Internal) == "internal");
}
