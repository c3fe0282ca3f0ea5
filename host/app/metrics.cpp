// SPDX-License-Identifier: Apache-2.0
// `tenon metrics`: the figures of the running serves, asked for over their control sockets.
#include "app/commands.h"

#include "support/text.h"
#include "transport/control.h"

#include <unistd.h>

namespace tenon::app {

namespace {

using namespace std::chrono_literals;

constexpr std::string_view kQuestion = "metrics";
constexpr auto kAnswerMost = 5s; // of one process

int refuseNone(const MetricsRequest &request, const std::string &folder,
               const std::vector<transport::ControlSocket> &running) {
    const auto user = concat("of this user (", geteuid(), ")");
    if (request.pid == 0) {
        return refuse({"metrics.none", concat("no tenon serve ", user, " is running; looked in ",
                                              folder, " for its control socket")});
    }
    std::vector<std::string> pids;
    pids.reserve(running.size());
    for (const auto &one : running) {
        pids.push_back(std::to_string(one.pid));
    }
    const auto there =
        pids.empty() ? "none" : concat("those of ", listed({pids.begin(), pids.end()}));
    return refuse(
        {"metrics.none",
         concat("no tenon serve ", user, " with the process id ", request.pid,
                " is running; looked for its control socket in ", folder, ", which has ", there)});
}

} // namespace

std::vector<Gauge> auditFigures(const audit::Counts &counts) {
    using exposition::Kind;
    const auto figure = [](std::string_view name, std::string_view help, std::uint64_t value) {
        return Gauge{name, help, static_cast<double>(value), Kind::Counter};
    };
    return {figure("tenon_audit_rows_total", "Audit rows that were written.", counts.written),
            figure("tenon_audit_dropped_total", "Audit rows that were lost.", counts.dropped),
            figure("tenon_audit_faults_total", "Writes of audit rows that failed.", counts.faults)};
}

Result<std::string> answerControl(std::string_view line, const ToolRunner &runner,
                                  const Metrics &metrics, const std::vector<Gauge> &extra) {
    if (line != kQuestion) {
        return Error{"control.question",
                     concat("asked for \"", printable(line, 100), "\"; expected ", kQuestion)};
    }
    return metrics.text(runner.load(), extra);
}

int metrics(const MetricsRequest &request) {
    const auto folder = transport::controlFolder();
    const auto running = transport::controlSockets(folder);
    if (!running) {
        return refuse(running.error());
    }
    std::vector<exposition::Part> parts;
    bool allAnswered = true;
    for (const auto &one : *running) {
        if (request.pid != 0 && one.pid != request.pid) {
            continue;
        }
        auto text = transport::ask(one.path, kQuestion, kAnswerMost);
        if (text) {
            parts.push_back({std::to_string(one.pid), std::move(*text)});
        } else if (text.error().code != "control.gone") {
            writeAll(STDERR_FILENO, concat("tenon: ", text.error().message, "\n"));
            allAnswered = false;
        }
    }
    if (parts.empty()) {
        return allAnswered ? refuseNone(request, folder, *running) : cli::kExitConfiguration;
    }
    return writeOut(request.stdio.out, exposition::join(parts), allAnswered ? cli::kExitOk : 1);
}

} // namespace tenon::app
