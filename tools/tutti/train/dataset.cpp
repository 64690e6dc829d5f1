// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "dataset.hpp"

#include "digits.hpp"
#include "idx.hpp"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include <fmt/format.h>

namespace tutti::tools {
namespace {

namespace fs = std::filesystem;

// The files' own name, or the one under which some archives unpack them.
fs::path locate(const fs::path& directory, const std::string& stem, const std::string& kind) {
    for (const char* separator : {"-", "."})
        if (fs::path path = directory / (stem + separator + kind); fs::exists(path)) return path;
    const fs::path wanted = directory / (stem + "-" + kind);
    if (fs::exists(wanted.string() + ".gz"))
        throw std::runtime_error(fmt::format("{}.gz is compressed; unpack it with gunzip", wanted.string()));
    throw std::runtime_error(fmt::format("there is no {}", wanted.string()));
}

std::string contents_of(const fs::path& path) {
    std::ifstream file{path, std::ios::binary};
    std::string bytes{std::istreambuf_iterator<char>{file}, {}};
    if (!file) throw std::system_error(errno, std::generic_category(), "cannot read " + path.string());
    return bytes;
}

} // namespace

dataset read_digits(const std::string& directory, bool training, share part) {
    const std::string set = training ? "train" : "t10k";
    const fs::path images = locate(directory, set + "-images", "idx3-ubyte");
    const fs::path labels = locate(directory, set + "-labels", "idx1-ubyte");
    return parse_idx(contents_of(images), images.string(), contents_of(labels), labels.string(), part);
}

} // namespace tutti::tools
