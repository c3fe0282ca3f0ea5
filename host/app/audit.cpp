// SPDX-License-Identifier: Apache-2.0
// `tenon audit`: what the audit holds, as lines, as JSON or as counts of each tool.
#include "app/commands.h"

#include "frontends/cli/cli.h"
#include "runner/audit/reader.h"
#include "runner/audit/report.h"
#include "support/text.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <optional>

namespace tenon::app {

namespace {

constexpr std::size_t kTailRows = 20;
constexpr std::size_t kBytesKept = 64U << 10;
constexpr int kPollMs = 200;

int refuseWords(std::string_view problem) {
    writeAll(STDERR_FILENO, concat("tenon: ", problem, '\n'));
    return cli::kExitUsage;
}

Result<audit::Query> queryOf(const AuditRequest &request) {
    audit::Query query;
    query.tool = request.tool;
    query.failedOnly = request.failedOnly;
    if (!request.since.empty()) {
        const auto since = audit::sinceOf(request.since, std::chrono::system_clock::now());
        if (!since) {
            return Error{"cli.usage", concat("--since: ", since.error().message)};
        }
        query.since = *since;
    }
    query.last = request.tail ? kTailRows : 0;
    if (!request.limit.empty()) {
        const char *const end = request.limit.data() + request.limit.size();
        const auto read = std::from_chars(request.limit.data(), end, query.last);
        if (read.ec != std::errc() || read.ptr != end || query.last == 0) {
            return Error{"cli.usage", concat("--limit: it is ", printable(request.limit, 60),
                                             "; expected how many rows, from 1")};
        }
    }
    if (request.counts && request.follow) {
        return Error{"cli.usage", "--counts and --follow were both given; expected one of them"};
    }
    return query;
}

// Rows on their way to the output, which may fail.
class Output {
public:
    explicit Output(const AuditRequest &request) : request_(request) {}

    bool add(const audit::Row &row) {
        if (request_.counts) {
            counts_.add(row);
        } else if (request_.json) {
            audit::appendJson(text_, row);
            text_ += '\n';
        } else {
            text_ += lines_.add(row);
        }
        return text_.size() < kBytesKept || write();
    }
    bool flush() {
        text_ += lines_.flush();
        return write();
    }
    bool finish() {
        if (request_.counts && request_.json) {
            text_ += counts_.json() + '\n';
        } else if (request_.counts && !counts_.isEmpty()) {
            text_ += counts_.text();
        }
        return flush();
    }
    // 0, or the errno for which nothing more can be written.
    int failure() const { return failure_; }

private:
    bool write() {
        if (failure_ == 0 && !writeAll(request_.stdio.out, text_)) {
            failure_ = errno;
        }
        text_.clear();
        return failure_ == 0;
    }

    const AuditRequest &request_;
    audit::RowLines lines_;
    audit::ToolCounts counts_;
    std::string text_;
    int failure_ = 0;
};

void tell(const audit::Summary &summary) {
    std::string words;
    for (const auto &note : summary.notes) {
        words += concat("tenon: ", note, '\n');
    }
    if (summary.skippedLines > 0) {
        words += concat("tenon: ", summary.skippedLines,
                        summary.skippedLines == 1 ? " line was" : " lines were",
                        " left out: torn, or no row of an audit\n");
    }
    writeAll(STDERR_FILENO, words);
}

// Waits for more rows; false once whoever reads the output has gone.
bool waitForMore(int out) {
    pollfd wait{out, 0, 0};
    return ::poll(&wait, 1, kPollMs) <= 0 || (wait.revents & (POLLERR | POLLHUP)) == 0;
}

Result<audit::Summary> follow(const std::string &path, const audit::Query &query, int descriptor,
                              Output &out) {
    auto follower = audit::Follower::open(path, query);
    if (!follower) {
        return follower.error();
    }
    std::size_t notes = 0;
    do {
        const auto goesOn = follower->poll([&](const audit::Row &row) { return out.add(row); });
        if (!goesOn) {
            return goesOn.error();
        }
        for (; notes < follower->summary().notes.size(); ++notes) {
            writeAll(STDERR_FILENO, concat("tenon: ", follower->summary().notes[notes], '\n'));
        }
    } while (out.flush() && waitForMore(descriptor));
    return audit::Summary{follower->summary().rows, follower->summary().skippedLines, {}};
}

} // namespace

int audit(const AuditRequest &request) {
    std::signal(SIGPIPE, SIG_IGN); // NOLINT: a broken pipe is seen by write()
    const auto query = queryOf(request);
    if (!query) {
        return refuseWords(query.error().message);
    }
    Output out(request);
    const auto summary = request.follow
                             ? follow(request.path, *query, request.stdio.out, out)
                             : audit::readRows(request.path, *query,
                                               [&](const audit::Row &row) { return out.add(row); });
    if (!summary) {
        out.flush();
        return refuse(summary.error());
    }
    out.finish();
    tell(*summary);
    if (out.failure() != 0 && out.failure() != EPIPE) {
        writeAll(STDERR_FILENO, concat("tenon: the output could not be written: ",
                                       std::strerror(out.failure()), '\n'));
        return 1;
    }
    if (summary->rows == 0 && out.failure() == 0) {
        writeAll(STDERR_FILENO, "tenon: the audit has no such rows\n");
    }
    return cli::kExitOk;
}

} // namespace tenon::app
