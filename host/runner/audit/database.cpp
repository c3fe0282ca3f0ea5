// SPDX-License-Identifier: Apache-2.0
#include "runner/audit/database.h"

#include "support/text.h"

#include <sqlite3.h>

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace tenon::audit {

namespace {

constexpr std::string_view kMagic("SQLite format 3\0", 16);
constexpr std::size_t kHeaderBytes = 100;
constexpr std::size_t kVersionAt = 60, kApplicationIdAt = 68;

Error errorOf(int code, const char *words, int systemError) {
    switch (code & 0xFF) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED: return {"audit.locked", "locked by another process for too long"};
    case SQLITE_FULL: return {"audit.full", words};
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB: return {"audit.damaged", words};
    default: break;
    }
    return {"audit.io", systemError == 0 ? std::string(words)
                                         : concat(words, ": ", std::strerror(systemError))};
}

Error errorOf(sqlite3 *handle) {
    return errorOf(sqlite3_extended_errcode(handle), sqlite3_errmsg(handle),
                   sqlite3_system_errno(handle));
}

std::uint32_t numberAt(const unsigned char *bytes) {
    std::uint32_t number = 0;
    for (int i = 0; i < 4; ++i) {
        number = (number << 8) | bytes[i];
    }
    return number;
}

sqlite3_file *fileOf(sqlite3 *handle) {
    sqlite3_file *file = nullptr;
    sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file);
    return file && file->pMethods ? file : nullptr;
}

// What is not bound is NULL.
void bindText(sqlite3_stmt *statement, int index, std::string_view text) {
    if (!text.empty()) {
        sqlite3_bind_text64(statement, index, text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8);
    }
}

void bindField(sqlite3_stmt *statement, int index, const auto &value) {
    using Value = std::remove_cvref_t<decltype(value)>;
    if constexpr (std::is_same_v<Value, std::string>) {
        bindText(statement, index, value);
    } else if constexpr (std::is_same_v<Value, JsonText>) {
        bindText(statement, index, value.text);
    } else if constexpr (std::is_same_v<Value, double>) {
        sqlite3_bind_double(statement, index, value);
    } else {
        sqlite3_bind_int64(statement, index, static_cast<std::int64_t>(value));
    }
}

std::string textOf(sqlite3_stmt *statement, int column) {
    const auto *text = reinterpret_cast<const char *>(sqlite3_column_text(statement, column));
    return text ? std::string(text,
                              static_cast<std::size_t>(sqlite3_column_bytes(statement, column)))
                : std::string();
}

void readField(sqlite3_stmt *statement, int column, auto &value) {
    using Value = std::remove_cvref_t<decltype(value)>;
    if constexpr (std::is_same_v<Value, std::string>) {
        value = textOf(statement, column);
    } else if constexpr (std::is_same_v<Value, JsonText>) {
        value.text = textOf(statement, column);
    } else if constexpr (std::is_same_v<Value, double>) {
        value = sqlite3_column_double(statement, column);
    } else {
        value = static_cast<Value>(sqlite3_column_int64(statement, column));
    }
}

std::string_view typeOf(const Column &column) {
    static constexpr std::array<std::string_view, 5> kTypes{"TEXT", "TEXT", "INTEGER", "REAL",
                                                            "INTEGER"};
    return kTypes[column.field.index()]; // in the order of Column::Field
}

// seq counts up for ever (AUTOINCREMENT), also when rows were taken out: who has read up to a row
// can go on behind it.
std::string schema() {
    std::string sql = "CREATE TABLE calls(seq INTEGER PRIMARY KEY AUTOINCREMENT";
    for (const auto &column : columns()) {
        sql += concat(", ", column.name, " ", typeOf(column),
                      column.name == "id" ? " NOT NULL UNIQUE" : "");
    }
    return concat(
        "PRAGMA page_size = ", kPageBytes,
        "; PRAGMA auto_vacuum = INCREMENTAL; BEGIN; PRAGMA application_id = ", kApplicationId,
        "; PRAGMA user_version = ", kSchemaVersion, "; ", sql, "); COMMIT;");
}

} // namespace

void Statement::Finalize::operator()(sqlite3_stmt *statement) const {
    sqlite3_finalize(statement);
}

void Database::Close::operator()(sqlite3 *handle) const {
    sqlite3_close(handle);
}

Result<Statement::Step> Statement::step() {
    errno = 0;
    const int code = sqlite3_step(statement_.get());
    const int reason = errno;
    if (code == SQLITE_ROW || code == SQLITE_DONE) {
        return code == SQLITE_ROW ? Step::Row : Step::Done;
    }
    auto *const handle = sqlite3_db_handle(statement_.get());
    const int told = sqlite3_system_errno(handle); // a failed COMMIT does not tell
    auto error = errorOf(sqlite3_extended_errcode(handle), sqlite3_errmsg(handle),
                         told == 0 ? reason : told);
    reset();
    return error;
}

Result<void> Statement::run() {
    for (;;) {
        const auto stepped = step();
        if (!stepped) {
            return stepped.error();
        }
        if (*stepped == Step::Done) {
            reset();
            return {};
        }
    }
}

Result<std::int64_t> Statement::number() {
    const auto stepped = step();
    if (!stepped) {
        return stepped.error();
    }
    const auto value = *stepped == Step::Row ? integer(0) : 0;
    reset();
    return value;
}

void Statement::reset() {
    sqlite3_reset(statement_.get());
}

void Statement::bind(int index, std::string_view text) {
    bindText(statement_.get(), index, text);
}

void Statement::bind(int index, std::int64_t number) {
    sqlite3_bind_int64(statement_.get(), index, number);
}

void Statement::bindRow(const Row &row, int first) {
    sqlite3_clear_bindings(statement_.get());
    for (const auto &column : columns()) {
        std::visit([&](auto field) { bindField(statement_.get(), first, row.*field); },
                   column.field);
        ++first;
    }
}

void Statement::bindColumn(int index, const Statement &from, int column) {
    sqlite3_bind_value(statement_.get(), index,
                       sqlite3_column_value(from.statement_.get(), column));
}

std::int64_t Statement::integer(int column) const {
    return sqlite3_column_int64(statement_.get(), column);
}

std::string Statement::text(int column) const {
    return textOf(statement_.get(), column);
}

Row Statement::row(int first) const {
    Row row;
    for (const auto &column : columns()) {
        std::visit([&](auto field) { readField(statement_.get(), first, row.*field); },
                   column.field);
        ++first;
    }
    return row;
}

Result<Database> Database::open(const std::string &path, Access access) {
    std::string name = path;
    int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE;
    flags |= access == Access::Write ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY;
    if (access == Access::ReadUnchanging) {
        static constexpr char kHex[] = "0123456789ABCDEF";
        name = "file:";
        for (const char c : path) {
            const auto byte = static_cast<unsigned char>(c);
            (name += '%') += kHex[byte >> 4];
            name += kHex[byte & 15];
        }
        name += "?immutable=1";
        flags |= SQLITE_OPEN_URI;
    } else if (!path.starts_with('/')) {
        name = concat("./", path); // neither "file:..." nor ":memory:"
    }
    sqlite3 *handle = nullptr;
    const int code = sqlite3_open_v2(name.c_str(), &handle, flags, nullptr);
    Database database(handle);
    if (code != SQLITE_OK) {
        return handle ? database.error() : errorOf(code, sqlite3_errstr(code), 0);
    }
    sqlite3_extended_result_codes(handle, 1);
    sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    return database;
}

Header Database::header() const {
    std::array<unsigned char, kHeaderBytes> bytes{};
    auto *const file = fileOf(get());
    Header header;
    if (file && file->pMethods->xRead(file, bytes.data(), kHeaderBytes, 0) == SQLITE_OK) {
        header.isDatabase = std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) == 0;
        header.applicationId = numberAt(bytes.data() + kApplicationIdAt);
        header.version = numberAt(bytes.data() + kVersionAt);
    }
    return header;
}

// Each connection to a log holds a shared lock on the database for as long as it lives.
bool Database::isOpenElsewhere() const {
    auto *const file = fileOf(get());
    if (!file || file->pMethods->xLock(file, SQLITE_LOCK_SHARED) != SQLITE_OK) {
        return true;
    }
    const bool isAlone = file->pMethods->xLock(file, SQLITE_LOCK_EXCLUSIVE) == SQLITE_OK;
    file->pMethods->xUnlock(file, SQLITE_LOCK_NONE);
    return !isAlone;
}

Result<void> Database::checkHeader() const {
    const auto seen = header();
    if (!seen.isDatabase) {
        return Error{"audit.open", "it is no SQLite database; expected one that Tenon made, or a "
                                   "path where there is no file yet"};
    }
    if (seen.applicationId != kApplicationId) {
        return Error{"audit.open", "it is a database of another program; expected one that Tenon "
                                   "made, or a path where there is no file yet"};
    }
    if (seen.version != kSchemaVersion) {
        return Error{"audit.open",
                     concat("it is of version ", seen.version, "; this program knows version ",
                            kSchemaVersion, ": use the program that made it, or another path")};
    }
    return {};
}

Result<void> Database::run(const char *sql) {
    if (sqlite3_exec(get(), sql, nullptr, nullptr, nullptr) != SQLITE_OK) {
        return error();
    }
    return {};
}

Result<Statement> Database::prepare(std::string_view sql) {
    sqlite3_stmt *made = nullptr;
    if (sqlite3_prepare_v3(get(), sql.data(), static_cast<int>(sql.size()),
                           SQLITE_PREPARE_PERSISTENT, &made, nullptr) != SQLITE_OK) {
        return error();
    }
    return Statement(made);
}

Error Database::error() const {
    return errorOf(get());
}

void Database::rollBack() {
    if (sqlite3_get_autocommit(get()) == 0) {
        sqlite3_exec(get(), "ROLLBACK", nullptr, nullptr, nullptr);
    }
}

std::int64_t Database::changes() const {
    return sqlite3_changes(get());
}

Result<void> addIndex(Database &database) {
    return database.run("CREATE INDEX calls_startedAt ON calls(startedAt)");
}

Result<Database> createDatabase(const std::string &path, Journal journal) {
    const int made = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (made < 0) {
        return Error{"audit.io",
                     concat("a database cannot be made in its folder: ", std::strerror(errno))};
    }
    close(made);
    auto database = Database::open(path, Database::Access::Write);
    auto done = database ? Result<void>() : Result<void>(database.error());
    // The file is of use only once it is whole: one sync then does for all.
    done = done ? database->run("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF") : done;
    done = done ? database->run(schema().c_str()) : done;
    if (done && journal == Journal::Log) {
        done = addIndex(*database);
        done = done ? database->run("PRAGMA journal_mode = WAL") : done;
    }
    if (!done) {
        removeDatabase(path);
        return done.error();
    }
    return database;
}

Result<void> syncDatabase(const std::string &path) {
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    const bool done = fd >= 0 && fsync(fd) == 0;
    const int reason = errno;
    if (fd >= 0) {
        close(fd);
    }
    if (!done) {
        return Error{"audit.io", std::strerror(reason)};
    }
    return {};
}

void removeBeside(const std::string &path) {
    for (const auto *tail : {"-wal", "-shm", "-journal"}) {
        unlink(concat(path, tail).c_str());
    }
}

void removeDatabase(const std::string &path) {
    unlink(path.c_str());
    removeBeside(path);
}

std::string columnNames() {
    std::string out;
    for (const auto &column : columns()) {
        out += concat(out.empty() ? "" : ", ", column.name);
    }
    return out;
}

std::string columnMarks() {
    std::string out;
    for (std::size_t i = 0; i < columns().size(); ++i) {
        out += i == 0 ? "?" : ", ?";
    }
    return out;
}

} // namespace tenon::audit
