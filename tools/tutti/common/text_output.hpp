// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

namespace tutti::tools {

/// Whether what is written to a file of that name goes to standard output.
[[nodiscard]] inline bool is_standard_output(const std::string& file) { return file.empty() || file == "-"; }

/// Writes all of a text to a file, which it replaces; without a name, or to "-", to standard output. Throws
/// std::system_error.
inline void write_whole(std::string_view text, const std::string& file) {
    const bool standard = is_standard_output(file);
    std::FILE* const out = standard ? stdout : std::fopen(file.c_str(), "w");
    bool written = out && std::fwrite(text.data(), 1, text.size(), out) == text.size() && std::fflush(out) == 0;
    int why = errno;
    if (out && !standard && std::fclose(out) != 0 && written) { // some file systems tell only then
        written = false;
        why = errno;
    }
    if (!written)
        throw std::system_error(why, std::generic_category(), "cannot write " + (standard ? "standard output" : file));
}

/// Whether one of the files is standard output: then nothing else may go there. Throws std::invalid_argument if several
/// are; `options` names them all.
[[nodiscard]] inline bool takes_standard_output(std::initializer_list<std::string_view> files, const char* options) {
    const auto taken = std::count(files.begin(), files.end(), "-");
    if (taken > 1) throw std::invalid_argument(std::string("of ") + options + " one can go to standard output");
    return taken == 1;
}

/// Throws std::system_error if a file, where one is named, cannot be written: to be told before the work, not after it.
/// What is in it stays.
inline void require_writable(const std::string& file) {
    if (is_standard_output(file)) return;
    std::FILE* const out = std::fopen(file.c_str(), "a");
    if (!out) throw std::system_error(errno, std::generic_category(), "cannot write " + file);
    std::fclose(out);
}

} // namespace tutti::tools
