// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cerrno>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>

namespace tutti::tools {

/// Writes all of a text to a file, which it replaces; without a name to standard output. Throws std::system_error.
inline void write_text(std::string_view text, const std::string& file) {
    const auto put = [&](std::FILE* out) {
        if (out && std::fwrite(text.data(), 1, text.size(), out) == text.size() && std::fflush(out) == 0) return;
        throw std::system_error(errno, std::generic_category(),
                                "cannot write " + (file.empty() ? "standard output" : file));
    };
    if (file.empty()) return put(stdout);
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> out(std::fopen(file.c_str(), "w"), &std::fclose);
    put(out.get());
}

} // namespace tutti::tools
