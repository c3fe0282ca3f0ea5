// SPDX-License-Identifier: Apache-2.0
// What must not be written down: secrets that are known, and text that looks like one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tenon {

// Immutable, and so thread-safe.
class Masker {
public:
    // secrets: values that are masked wherever they stand, if they have at least 4 bytes.
    // names: names of values to mask besides those that everybody uses (isSecretName).
    explicit Masker(std::vector<std::string> secrets = {},
                    const std::vector<std::string> &names = {});

    // text with "***" in the place of: the known secrets; a bearer token; the user-info of a URL
    // (scheme://user:password@host); a value behind a secret name, as in password=x, api_key: x,
    // "token":"x", --password x, Authorization: x. Words are no value: "secret: permission denied".
    // No byte at sourceEnd or behind is shown; what is to be masked and begins before it is "***".
    // (No UTF-8 character is split: sourceEnd counts as the beginning of the one that it is in.)
    std::string masked(std::string_view text, std::size_t sourceEnd = SIZE_MAX) const;

    // Whether masked() would give text as it is; true is certain, false is not.
    bool isClean(std::string_view text) const;

    // Whether values of this name are secret: password, client_secret, apiKey, accessToken,
    // db_pass, Authorization, Cookie and their like, letter case and the signs _ - . aside; not
    // token counts (max_tokens).
    bool isSecretName(std::string_view name) const;

    // The most that must stand behind a cut for masked() to see a secret that begins before it.
    std::size_t reach() const { return reach_; }

private:
    struct Range;
    Range afterName(std::string_view text, std::size_t at) const;
    Range afterOption(std::string_view text, std::size_t at) const;
    void findKnown(std::string_view text, std::vector<Range> &ranges) const;
    void findLookalikes(std::string_view text, std::vector<Range> &ranges) const;

    std::vector<std::string> secrets_, names_;
    std::size_t reach_ = 1024;
};

} // namespace tenon
