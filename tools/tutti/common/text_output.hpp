// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <base/whole_file.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <unistd.h>

namespace tutti::tools {

/// Whether what is written to a file of that name goes to standard output.
[[nodiscard]] inline bool is_standard_output(const std::string& file) { return file.empty() || file == "-"; }

/// Writes all of a text to a file, where it takes the place of what was there; without a name, or to "-", to
/// standard output. Throws std::system_error.
inline void write_whole(std::string_view text, const std::string& file) {
    if (!is_standard_output(file)) return tutti::detail::write_whole(text, file);
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
        throw std::system_error(errno, std::generic_category(), "cannot write standard output");
}

/// Whether one of the files is standard output: then nothing else may go there. Throws std::invalid_argument if several
/// are, or if one plain file is named twice; `options` names them all.
[[nodiscard]] inline bool takes_standard_output(const std::vector<std::string>& files, const std::string& options) {
    std::vector<std::filesystem::path> places;
    for (const std::string& file : files) {
        const auto named = tutti::detail::place_of_plain_file(file);
        if (!named || is_standard_output(file)) continue;
        const auto place = std::filesystem::weakly_canonical(std::filesystem::absolute(*named));
        for (const auto& other : places) // by another link too
            if (std::error_code none; place == other || std::filesystem::equivalent(place, other, none))
                throw std::invalid_argument(file + " is named twice: of " + options + " each takes a file of its own");
        places.push_back(place);
    }
    const auto taken = std::count(files.begin(), files.end(), "-");
    if (taken > 1) throw std::invalid_argument("of " + options + " one can go to standard output");
    return taken == 1;
}

/// Throws std::system_error if a file, where one is named, cannot be written: to be told before the work, not after it.
/// What is in it stays, and where there was none there is none. A pipe is not opened: its reader would see it close.
inline void require_writable(const std::string& file) {
    if (is_standard_output(file)) return;
    const auto place = tutti::detail::place_of_plain_file(file);
    std::error_code none;
    const bool existed = !place || std::filesystem::exists(*place, none);
    std::FILE* const out = std::filesystem::is_fifo(file, none) ? nullptr : std::fopen(file.c_str(), "a");
    if (!out && (!std::filesystem::is_fifo(file, none) || access(file.c_str(), W_OK) != 0))
        throw std::system_error(errno, std::generic_category(), "cannot write " + file);
    if (out) std::fclose(out);
    if (!existed) std::filesystem::remove(*place, none);
}

} // namespace tutti::tools
