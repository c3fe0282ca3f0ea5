// SPDX-License-Identifier: Apache-2.0
// The files of an audit: the one that is written, and beside it those that were put aside, which
// are named after the time when that was done: "audit.jsonl.20261130T214427Z".
#pragma once

#include "runner/audit/stamps.h"
#include "support/result.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::audit {

// How the file at path is named when it is put aside at that time; the nth of those (from 1) that
// came in one second has ".n" behind it.
std::string archiveName(std::string_view path, SystemTime at, unsigned n = 0);

// Whether name is one that archiveName gives for path.
bool isArchiveOf(std::string_view path, std::string_view name);

// When the newest of archivesOf(path) was put aside, as its name says.
std::optional<SystemTime> lastPutAside(const std::string &path);

// A name in the folder of path that nobody can foresee, for a file that is not whole yet:
// ".audit.db.k3XzQ0". Those of this kind that are in the folder.
std::string unfinishedName(const std::string &path);
std::vector<std::string> unfinishedOf(const std::string &path);

// The regular files that were put aside from path, oldest first; whatever else is named in a like
// manner is not among them. Their names begin as path does.
std::vector<std::string> archivesOf(const std::string &path);

struct Deleted {
    std::vector<std::string> names;
    std::string fault; // why one could not be deleted, or ""
};

// Deletes those files put aside from path that were last written before that time.
Deleted deleteOlder(const std::string &path, SystemTime before);

// Renames a file as archiveName says for path, never over another file, and returns its new name:
// the file at path itself, or one that was made to be put aside. A sink resolves symbolic links
// first: here the link would be renamed. The tail stands behind the new name.
Result<std::string> putAside(const std::string &from, const std::string &path, SystemTime now,
                             std::string_view tail = "");

// Renames a file unless there is one at `to`: 0, or the errno that says why not.
int renameToFree(const std::string &from, const std::string &to);

} // namespace tenon::audit
