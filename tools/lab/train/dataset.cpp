// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "dataset.hpp"

#include "idx.hpp"
#include "whole_file.hpp"

#include <filesystem>
#include <stdexcept>
#include <system_error>

#include <fmt/format.h>

namespace tutti::tools {
namespace {

namespace fs = std::filesystem;

// The files' own name, or the one under which some archives unpack them; packed or not.
fs::path locate(const fs::path& directory, const std::string& stem, const std::string& kind) {
    for (const char* separator : {"-", "."})
        for (const char* packed : {"", ".gz"})
            if (fs::path path = directory / (stem + separator + kind + packed); fs::exists(path)) return path;
    throw std::runtime_error(fmt::format("there is no {}, nor with .gz", (directory / (stem + "-" + kind)).string()));
}

} // namespace

bool has_digits(const std::string& directory) {
    std::error_code failed;
    return fs::exists(fs::path(directory) / "train-images-idx3-ubyte.gz", failed);
}

dataset read_digits(const std::string& directory, bool training, share part) {
    const std::string set = training ? "train" : "t10k";
    const fs::path images = locate(directory, set + "-images", "idx3-ubyte");
    const fs::path labels = locate(directory, set + "-labels", "idx1-ubyte");
    return parse_idx(whole_file(images.string()), images.string(), whole_file(labels.string()), labels.string(), part);
}

void require_equal_pixels(const dataset& training, const dataset& testing) {
    if (training.pixels != testing.pixels)
        throw std::runtime_error(
            fmt::format("training pictures have {} pixels, and test pictures {}", training.pixels, testing.pixels));
}

} // namespace tutti::tools
