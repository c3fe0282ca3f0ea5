// SPDX-License-Identifier: Apache-2.0
// Runs a target over the files of folders, without a fuzzer: what ctest does with the seeds.
#include "check.h"

#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

namespace {

namespace fs = std::filesystem;

bool replay(const fs::path &path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    if (!file) {
        std::cerr << "cannot read " << path << '\n';
        return false;
    }
    const std::string input = text.str();
    std::cout << path.filename().string() << std::endl; // flushed: the last one named is at fault
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t *>(input.data()), input.size());
    return true;
}

} // namespace

int main(int argc, char **argv) {
    std::size_t count = 0;
    for (int i = 1; i < argc; ++i) {
        for (const auto &entry : fs::directory_iterator(argv[i])) {
            if (!replay(entry.path())) {
                return 1;
            }
            ++count;
        }
    }
    std::cout << count << " inputs\n";
    return count > 0 ? 0 : 1;
}
