// SPDX-License-Identifier: Apache-2.0
#include "runner/audit/reader.h"

#include "runner/audit/files.h"
#include "support/text.h"

#include <algorithm>
#include <charconv>
#include <filesystem>

namespace tenon::audit {

namespace {

constexpr int kTurnsMax = 100; // of files that are replaced while they are read

// Of the file itself: what was put aside from it is named after it.
std::string resolved(const std::string &path) {
    namespace fs = std::filesystem;
    std::error_code failed;
    const auto real = fs::weakly_canonical(fs::absolute(path, failed), failed);
    return failed ? path : real.string();
}

} // namespace

Follower::Neighbour::Key Follower::Neighbour::keyOf(std::string_view id) {
    std::string digits;
    std::copy_if(id.begin(), id.end(), std::back_inserter(digits), [](char c) { return c != '-'; });
    Key key{};
    const char *const middle = digits.data() + std::min<std::size_t>(digits.size(), 16);
    const char *const end = digits.data() + digits.size();
    const auto high = std::from_chars(digits.data(), middle, key.first, 16);
    const auto low = std::from_chars(middle, end, key.second, 16);
    if (digits.size() == 32 && high.ptr == middle && low.ptr == end) {
        return key; // a UUID
    }
    const std::hash<std::string> hash;
    return {hash(digits), hash(concat(digits, " "))};
}

bool Follower::Neighbour::has(const Row &row) const {
    return !ids_.empty() && std::binary_search(ids_.begin(), ids_.end(), keyOf(row.id));
}

void Follower::Neighbour::nextFile() {
    ids_ = std::exchange(next_, {});
    std::sort(ids_.begin(), ids_.end());
}

Result<Follower> Follower::open(const std::string &path, Query query, Source::End end) {
    Follower follower(resolved(path), std::move(query), end);
    auto started = follower.query_.last == 0 ? follower.start() : follower.startAtNewest();
    if (!started) {
        return Error{started.error().code, concat(printable(path), ": ", started.error().message)};
    }
    return follower;
}

Result<void> Follower::openLive() {
    auto source = openSource(path_, query_);
    if (source) {
        live_ = std::move(*source);
        endLive();
        return {};
    }
    live_.reset();
    if (source.error().code != "audit.missing") {
        return source.error();
    }
    if (archivesOf(path_).empty()) {
        return Error{"audit.missing", "there is no such file; expected the file that the audit is "
                                      "written to"};
    }
    return {};
}

void Follower::endLive() {
    if (end_ == Source::End::Closed) {
        live_->endHere();
    }
}

Result<void> Follower::start() {
    // The live file first: what is put aside from now on is among the names, or seen to be gone.
    auto opened = openLive();
    if (!opened) {
        return opened;
    }
    for (auto &name : archivesOf(path_)) {
        known_.insert(name);
        if (query_.archives && !(live_ && isAt(live_->id(), name))) {
            first_.push_back(std::move(name));
        }
    }
    return {};
}

Result<void> Follower::startAtNewest() {
    for (int i = 0; i < kTurnsMax; ++i) {
        *this = Follower(std::move(path_), std::move(query_), end_);
        const auto names = archivesOf(path_);
        if (auto opened = openLive(); !opened) {
            return opened;
        }
        if (live_) {
            takeNewest(path_, *live_, end_);
        }
        // Nothing was put aside meanwhile that would be in neither.
        if (names == archivesOf(path_) && (!live_ || isAt(live_->id(), path_))) {
            collectNewest(names);
            return {};
        }
    }
    return Error{"audit.io", "it is put aside faster than it can be read"};
}

void Follower::collectNewest(const std::vector<std::string> &names) {
    known_.insert(names.begin(), names.end());
    if (!query_.archives) {
        return;
    }
    for (auto name = names.rbegin(); name != names.rend() && newest_.size() < query_.last; ++name) {
        neighbour_.nextFile();
        if (const auto source = openAside(*name)) {
            takeNewest(*name, *source, Source::End::Closed);
        }
    }
    neighbour_ = {};
}

void Follower::takeNewest(const std::string &name, Source &source, Source::End end) {
    auto rows = source.newest(query_.last - newest_.size(), query_.last, end, [&](const Row &row) {
        neighbour_.add(row);
        return !neighbour_.has(row);
    });
    if (!rows) {
        summary_.notes.push_back(concat(printable(name), ": ", rows.error().message));
        return;
    }
    std::move(rows->begin(), rows->end(), std::back_inserter(newest_));
    summary_.skippedLines += source.takeSkipped();
}

std::vector<std::string> Follower::fresh() const {
    auto names = archivesOf(path_);
    std::erase_if(names, [&](const std::string &name) { return known_.contains(name); });
    return names;
}

std::unique_ptr<Source> Follower::openAside(const std::string &name) {
    auto source = openSource(name, query_);
    if (source) {
        return std::move(*source);
    }
    if (source.error().code != "audit.missing") { // which was too old
        summary_.notes.push_back(concat(printable(name), " is left out: ", source.error().message));
    }
    return nullptr;
}

bool Follower::give(const std::vector<Row> &rows, const TakeRow &take) {
    for (const auto &row : rows) {
        if (addsNeighbours_) {
            neighbour_.add(row);
        }
        if (neighbour_.has(row)) {
            continue;
        }
        ++summary_.rows;
        if (!take(row)) {
            return false;
        }
    }
    return true;
}

Result<bool> Follower::drain(Source &source, const TakeRow &take) {
    std::vector<Row> rows;
    for (bool more = true; more;) {
        rows.clear();
        const auto got = source.next(rows);
        if (!got) {
            return got.error();
        }
        more = *got;
        summary_.skippedLines += source.takeSkipped();
        if (!give(rows, take)) {
            return false;
        }
    }
    return true;
}

// To an end that nobody writes behind. Of one that cannot be read the rest is left out.
bool Follower::drainLast(const std::string &name, Source &source, const TakeRow &take) {
    const auto goesOn = drain(source, take);
    if (!goesOn) {
        summary_.notes.push_back(
            concat("the rest of ", printable(name), " is left out: ", goesOn.error().message));
    }
    std::vector<Row> rows;
    source.close(rows);
    summary_.skippedLines += source.takeSkipped();
    return (!goesOn || *goesOn) && give(rows, take);
}

bool Follower::giveFirst(const TakeRow &take) {
    std::reverse(newest_.begin(), newest_.end());
    if (!give(std::exchange(newest_, {}), take)) {
        return false;
    }
    for (const auto &name : std::exchange(first_, {})) {
        const auto source = openAside(name);
        addsNeighbours_ = true;
        const bool goesOn = !source || drainLast(name, *source, take);
        addsNeighbours_ = false;
        neighbour_.nextFile();
        if (!goesOn) {
            return false;
        }
    }
    return true;
}

bool Follower::drainFresh(const TakeRow &take, const Source *before) {
    for (const auto &name : fresh()) {
        if (before && isAt(before->id(), name)) {
            return true; // it was put aside just now
        }
        known_.insert(name);
        const auto source = moved_ && isAt(moved_->id(), name) ? nullptr : openAside(name);
        if (!source) {
            continue;
        }
        const bool continues = live_ && live_->counts() && source->counts();
        if (continues) { // its rows were in the live file
            source->goTo(live_->position());
        }
        const bool goesOn = drainLast(name, *source, take);
        if (continues) {
            live_->goTo(std::max(live_->position(), source->position()));
        }
        if (!goesOn) {
            return false;
        }
    }
    return true;
}

// Rotation takes rows out of the database, once they are in a file put aside. So the files are
// looked at before and after each piece: one that came meanwhile has rows that were not in it.
Result<bool> Follower::pollDatabase(const TakeRow &take) {
    std::vector<Row> rows;
    for (;;) {
        if (!drainFresh(take, nullptr)) {
            return false;
        }
        const auto at = live_->position();
        rows.clear();
        const auto more = live_->next(rows);
        if (!more) {
            return more.error();
        }
        if (!fresh().empty()) {
            live_->goTo(at);
        } else if (!give(rows, take)) {
            return false;
        } else if (!*more) {
            return true;
        }
    }
}

Result<bool> Follower::poll(const TakeRow &take) {
    if (!giveFirst(take)) {
        return false;
    }
    if (const auto moved = std::exchange(moved_, nullptr);
        moved && !drainLast(path_, *moved, take)) {
        return false;
    }
    for (int i = 0; i < kTurnsMax; ++i) {
        if (live_) {
            const bool isHere = isAt(live_->id(), path_);
            auto goesOn = isHere && live_->counts() ? pollDatabase(take) : drain(*live_, take);
            // What came after lines were opened is not asked for where they are read once.
            const bool isAll = end_ == Source::End::Closed && !live_->counts();
            if (!goesOn || !*goesOn || isHere || isAll) {
                return goesOn;
            }
            moved_ = std::move(live_);
        }
        // This first, so that all that was written before it is among the files put aside.
        auto source = openSource(path_, query_);
        if (!drainFresh(take, source ? source->get() : nullptr)) {
            return false;
        }
        if (!source) {
            return source.error().code == "audit.missing" ? Result<bool>(true) : source.error();
        }
        live_ = std::move(*source);
        endLive();
    }
    return true;
}

Result<void> Follower::finish(const TakeRow &take) {
    if (query_.last > 0) {
        giveFirst(take);
        return {};
    }
    const auto goesOn = poll(take);
    if (!goesOn) {
        return goesOn.error();
    }
    for (const auto *source : {&moved_, &live_}) {
        if (*goesOn && *source && !drainLast(path_, **source, take)) {
            break;
        }
    }
    return {};
}

Result<Summary> readRows(const std::string &path, const Query &query, const TakeRow &take) {
    auto follower = Follower::open(path, query, Source::End::Closed);
    if (!follower) {
        return follower.error();
    }
    if (const auto done = follower->finish(take); !done) {
        return Error{done.error().code, concat(printable(path), ": ", done.error().message)};
    }
    return follower->summary();
}

} // namespace tenon::audit
