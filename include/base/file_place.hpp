// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <linux/magic.h>
#include <sys/vfs.h>

#include <filesystem>
#include <optional>
#include <string>
#include <system_error>

namespace tutti::detail {

/// Whether it is a link as of an open descriptor: what it leads to must not be replaced under who has it open.
[[nodiscard]] inline bool is_in_proc(const std::filesystem::path& link) {
    struct statfs of {};
    const auto folder = link.has_parent_path() ? link.parent_path() : std::filesystem::path(".");
    return ::statfs(folder.c_str(), &of) == 0 && of.f_type == PROC_SUPER_MAGIC;
}

/// Where a plain file of that name lies, or would if there is none yet: symbolic links are followed, and so they stay.
/// It is to be written whole beside that place, and renamed. Nothing for what is no plain file, such as a device or a
/// pipe: that is to be written to as it is.
[[nodiscard]] inline std::optional<std::string> place_of_plain_file(const std::string& name) {
    namespace fs = std::filesystem;
    constexpr int most_links = 40; // as Linux has it
    fs::path at(name);
    std::error_code failed;
    for (int link = 0; link <= most_links; ++link) {
        const fs::file_type type = fs::symlink_status(at, failed).type();
        if (type == fs::file_type::regular || type == fs::file_type::not_found) return at.string();
        if (type != fs::file_type::symlink || is_in_proc(at)) return std::nullopt;
        const fs::path to = fs::read_symlink(at, failed);
        if (failed) return std::nullopt;
        at = at.parent_path() / to; // which is `to` alone if that begins at the root
    }
    return std::nullopt;
}

} // namespace tutti::detail
