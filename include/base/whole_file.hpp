// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "file_place.hpp"

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

#include <unistd.h>

namespace tutti::detail {

/// Writes all of a text to a file of that name as it is, which may be a device or a pipe. Throws std::system_error.
inline void write_through(std::string_view text, const std::string& file) {
    std::FILE* const out = std::fopen(file.c_str(), "w");
    bool written = out && std::fwrite(text.data(), 1, text.size(), out) == text.size() && std::fflush(out) == 0;
    int why = errno;
    if (out && std::fclose(out) != 0 && written) { // some file systems tell only then
        written = false;
        why = errno;
    }
    if (!written) throw std::system_error(why, std::generic_category(), "cannot write " + file);
}

/// Writes a text so that a reader of a plain file finds all of the earlier text or all of this one, also after an end
/// halfway: the text is written beside, and renamed. A symbolic link stays; what is no plain file is written to.
/// Throws std::system_error.
inline void write_whole(std::string_view text, const std::string& file) {
    std::error_code none;
    const auto place = place_of_plain_file(file);
    if (!place) return write_through(text, file);
    const std::string beside = *place + "." + std::to_string(::getpid()) + ".part";
    std::error_code failed;
    try {
        write_through(text, beside);
        if (const auto before = std::filesystem::status(*place, none); std::filesystem::exists(before))
            std::filesystem::permissions(beside, before.permissions(), none);
        std::filesystem::rename(beside, *place, failed);
    } catch (const std::system_error& e) {
        failed = e.code();
    }
    if (!failed) return;
    std::filesystem::remove(beside, none);
    // The folder may take no new file where this one may be written, and a file may be mounted by itself.
    for (const auto way : {std::errc::permission_denied, std::errc::operation_not_permitted,
                           std::errc::device_or_resource_busy, std::errc::read_only_file_system})
        if (failed == way) return write_through(text, file);
    throw std::system_error(failed, "cannot write " + file);
}

} // namespace tutti::detail
