// SPDX-License-Identifier: Apache-2.0
// SQLite, as far as the audit needs it: connections, statements, and how rows lie in a database.
#pragma once

#include "runner/audit/row.h"
#include "support/result.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace tenon::audit {

inline constexpr std::uint32_t kApplicationId = 0x546E4175; // "TnAu"
inline constexpr std::uint32_t kSchemaVersion = 1;
inline constexpr std::int64_t kPageBytes = 4'096;

// The codes of a failed Result here: "audit.locked" (by another process for too long), "audit.full"
// (no space), "audit.damaged" (no database, or one with wrong bytes in it), "audit.io" (the rest).
class Statement {
public:
    enum class Step { Row, Done };

    Statement() = default;
    explicit Statement(sqlite3_stmt *made) : statement_(made) {}

    Result<Step> step();
    // To the end, whatever rows come; and reset.
    Result<void> run();
    // run() of one that gives one number.
    Result<std::int64_t> number();
    void reset();

    void bind(int index, std::string_view text); // which must live until the next reset
    void bind(int index, std::int64_t number);
    void bindRow(const Row &row, int first = 1); // a parameter for each column
    void bindColumn(int index, const Statement &from, int column);

    std::int64_t integer(int column) const;
    std::string text(int column) const;
    Row row(int first = 0) const; // of the columns from there on, in the order of columns()
    explicit operator bool() const { return statement_ != nullptr; }

private:
    struct Finalize {
        void operator()(sqlite3_stmt *statement) const;
    };
    std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

// What the first bytes of a file say.
struct Header {
    bool isDatabase = false;
    std::uint32_t applicationId = 0, version = 0;
};

class Database {
public:
    enum class Access { Read, ReadUnchanging, Write };

    // Opens what is there: no file is made, locked or read further than its header. ReadUnchanging
    // is for a file in a folder where nothing can be made and that nobody writes.
    static Result<Database> open(const std::string &path, Access access);

    // Read through SQLite: closing another descriptor of the file would take away the locks that
    // this process has on it.
    Header header() const;
    // Whether header() is one of Tenon's audits; the Error says what the file is instead.
    Result<void> checkHeader() const;

    // Whether another connection, of any process, holds the file; to be asked before the first
    // statement.
    bool isOpenElsewhere() const;

    Result<void> run(const char *sql);
    Result<Statement> prepare(std::string_view sql);
    // The state of a failed call as an Error.
    Error error() const;
    void rollBack(); // if a transaction is open
    std::int64_t changes() const;
    sqlite3 *get() const { return handle_.get(); }

private:
    struct Close {
        void operator()(sqlite3 *handle) const;
    };
    explicit Database(sqlite3 *handle) : handle_(handle) {}
    std::unique_ptr<sqlite3, Close> handle_;
};

// An empty database with the schema in a new file of mode 0600, which is not on the disk before
// syncDatabase. Of a file already there: an Error. What an Error leaves was there before.
// Journal::Log: to be written at any time. None: to be filled once, and then given its index.
enum class Journal { Log, None };
Result<Database> createDatabase(const std::string &path, Journal journal);
Result<void> addIndex(Database &database);
// Has all of it reach the disk. Only for a file that this process has not open.
Result<void> syncDatabase(const std::string &path);
// The file of a database, and those that SQLite keeps beside it.
void removeDatabase(const std::string &path);
void removeBeside(const std::string &path);

// "id, startedAt, ..."; "?, ?, ...", as many.
std::string columnNames();
std::string columnMarks();

} // namespace tenon::audit
