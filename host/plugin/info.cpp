// SPDX-License-Identifier: Apache-2.0
#include "plugin/info.h"

#include "support/text.h"

#include <tenon/abi.h>

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <vector>

namespace tenon::plugin {

namespace {

Error refusal(std::string_view code, const std::string &path, std::string_view reason) {
    return {concat("plugin.", code), concat(printable(path), ": ", reason)};
}

// An open file that is read only within its size.
class File {
public:
    explicit File(const std::string &path)
        : descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) {}
    ~File() {
        if (descriptor_ >= 0) {
            close(descriptor_);
        }
    }
    File(const File &) = delete;
    File &operator=(const File &) = delete;

    // Why it is not a regular file that can be read, or an empty Error.
    std::optional<Error> refused(const std::string &path) {
        if (descriptor_ < 0) {
            switch (errno) {
            case ENOENT:
            case ENOTDIR: return refusal("not_found", path, "there is no such file");
            case EACCES:
                return refusal("permission", path,
                               "permission denied; expected a file that this user may read");
            default: return refusal("unreadable", path, std::strerror(errno));
            }
        }
        struct stat status {};
        if (fstat(descriptor_, &status) != 0) {
            return refusal("unreadable", path, std::strerror(errno));
        }
        if (S_ISDIR(status.st_mode)) {
            return refusal("directory", path, "is a directory; expected a plugin file (.so)");
        }
        if (!S_ISREG(status.st_mode)) {
            return refusal("not_regular", path, "is not a regular file; expected a plugin (.so)");
        }
        size_ = static_cast<std::uint64_t>(status.st_size);
        return std::nullopt;
    }

    std::uint64_t size() const { return size_; }
    bool read(std::uint64_t offset, void *out, std::uint64_t bytes) const {
        if (offset > size_ || bytes > size_ - offset) {
            return false;
        }
        return pread(descriptor_, out, bytes, static_cast<off_t>(offset)) ==
               static_cast<ssize_t>(bytes);
    }

private:
    int descriptor_;
    std::uint64_t size_ = 0;
};

std::string machineName(std::uint16_t machine) {
    switch (machine) {
    case EM_X86_64: return "x86_64";
    case EM_AARCH64: return "aarch64";
    case EM_RISCV: return "riscv";
    case EM_386: return "i386 (32-bit)";
    case EM_ARM: return "arm (32-bit)";
    default: return concat("ELF machine ", machine);
    }
}

constexpr std::string_view kRebuild =
    "; build it again with the SDK of this host: cmake -B build && cmake --build build";

// The ELF header, if the file is a library that this machine can load.
Result<Elf64_Ehdr> readHeader(const File &file, const std::string &path) {
    Elf64_Ehdr header{};
    if (file.size() < sizeof header) {
        return refusal("too_short", path,
                       concat("has ", file.size(),
                              " bytes, too short for an ELF file; expected a "
                              "plugin (.so)"));
    }
    if (!file.read(0, &header, sizeof header)) {
        return refusal("unreadable", path, "cannot be read");
    }
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) {
        const std::string_view start(reinterpret_cast<const char *>(&header), 8);
        return refusal("not_elf", path,
                       concat("is not an ELF file: it begins with \"", printable(start),
                              "\"; expected a plugin (.so)"));
    }
    if (header.e_ident[EI_CLASS] != ELFCLASS64) {
        return refusal("architecture", path,
                       concat("is a 32-bit ELF file; this host is ", TENON_TARGET, kRebuild));
    }
    const bool sameOrder = header.e_ident[EI_DATA] == ELFDATA2LSB;
    const std::string machine = machineName(header.e_machine);
    if (!sameOrder || !std::string_view(TENON_TARGET_CPU).starts_with(machine)) {
        return refusal("architecture", path,
                       concat("is built for ", machine, sameOrder ? "" : " (big-endian)",
                              "; this host is ", TENON_TARGET, kRebuild));
    }
    if (header.e_type != ET_DYN) {
        return refusal("not_library", path,
                       concat("is ELF of type ", header.e_type,
                              ", not a shared library; expected a plugin (.so)"));
    }
    return header;
}

// The bytes of the info section: exactly one record, or a reason.
Result<tenon_info> readRecord(const File &file, const Elf64_Ehdr &header, const std::string &path) {
    const auto missing = [&](std::string_view why) {
        return refusal("no_info", path,
                       concat("has no Tenon info record (", why,
                              "); expected a plugin made with TENON_PLUGIN or TENON_INFO"));
    };
    if (header.e_shoff == 0 || header.e_shentsize != sizeof(Elf64_Shdr) || header.e_shnum == 0 ||
        header.e_shstrndx >= header.e_shnum) {
        return missing("no section table");
    }
    std::vector<Elf64_Shdr> sections(header.e_shnum);
    if (!file.read(header.e_shoff, sections.data(), sections.size() * sizeof(Elf64_Shdr))) {
        return missing("its section table lies outside the file");
    }
    const auto &names = sections[header.e_shstrndx];
    for (const auto &section : sections) {
        char name[sizeof TENON_INFO_SECTION] = {};
        if (section.sh_name >= names.sh_size ||
            !file.read(names.sh_offset + section.sh_name, name, sizeof name) ||
            std::memcmp(name, TENON_INFO_SECTION, sizeof name) != 0) {
            continue;
        }
        tenon_info record{};
        if (section.sh_size < sizeof record || section.sh_type == SHT_NOBITS ||
            !file.read(section.sh_offset, &record, sizeof record)) {
            return missing(concat("its section has ", section.sh_size,
                                  " bytes; expected one "
                                  "record of ",
                                  sizeof record));
        }
        return record;
    }
    return missing(concat("no section ", TENON_INFO_SECTION));
}

} // namespace

Result<PluginInfo> readInfo(const std::string &path) {
    File file(path);
    if (auto reason = file.refused(path)) {
        return *reason;
    }
    const auto header = readHeader(file, path);
    if (!header) {
        return header.error();
    }
    const auto record = readRecord(file, *header, path);
    if (!record) {
        return record.error();
    }
    const auto text = [](const char *field, std::size_t size) {
        return std::string(field, strnlen(field, size));
    };
    PluginInfo info{
        record->abi_major, record->abi_minor, text(record->target, sizeof record->target),
        text(record->id, sizeof record->id), text(record->version, sizeof record->version)};
    if (std::memcmp(record->magic, "TENONPLG", 8) != 0 || record->struct_size < sizeof *record) {
        return refusal("no_info", path, "its Tenon info record is damaged: wrong magic or size");
    }
    if (info.abiMajor != TENON_ABI_MAJOR) {
        return refusal("abi_major", path,
                       concat("speaks ABI major ", info.abiMajor, "; this host speaks ",
                              TENON_ABI_MAJOR, kRebuild));
    }
    if (info.target != TENON_TARGET) {
        return refusal("architecture", path,
                       concat("is built for \"", printable(info.target), "\"; this host is ",
                              TENON_TARGET, kRebuild));
    }
    return info;
}

} // namespace tenon::plugin
