// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "secret.hpp"
#include "socket.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <array>
#include <string>
#include <string_view>

namespace tutti::transport::bootstrap {

namespace detail {

/// Why a secret must not come from such a file; `own` is the user that this process runs as. Empty where it may.
[[nodiscard]] inline std::string objection_to(const struct stat& facts, uid_t own) {
    if (!S_ISREG(facts.st_mode)) return " is not a regular file";
    if ((facts.st_mode & 077) != 0) return " can be read or changed by others than its owner";
    if (facts.st_uid != own && facts.st_uid != 0)
        return " belongs to user " + std::to_string(facts.st_uid) + ", who could change it; this process runs as " +
               std::to_string(own);
    return {};
}

} // namespace detail

/// Reads a secret from a file that only its owner can read, who is this process's user or root; line ends at its end do
/// not count. Throws a bootstrap error that names the file and what is wrong with it.
[[nodiscard]] inline secret read_secret_file(const std::string& path) {
    const std::string which = "the secret file " + path;
    // Not to be held up by a pipe that someone put there; what was opened is what is judged.
    const descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    struct stat facts {};
    if (!file || ::fstat(file.get(), &facts) != 0)
        bootstrap_failed("cannot read " + which + ": " + words_of_errno(errno), "check TUTTI_SECRET_FILE");
    if (const auto objection = detail::objection_to(facts, ::geteuid()); !objection.empty())
        bootstrap_failed(which + objection, S_ISREG(facts.st_mode) ? "make it your own, and chmod 600 " + path
                                                                   : "check TUTTI_SECRET_FILE");
    std::array<char, 4097> held{};
    const auto n = ::read(file.get(), held.data(), held.size());
    std::string_view text(held.data(), n > 0 ? static_cast<std::size_t>(n) : 0);
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
    const bool fits = text.size() >= secret::least_bytes && n < static_cast<ssize_t>(held.size());
    const secret out(fits ? text : std::string_view{});
    const auto bytes = text.size();
    OPENSSL_cleanse(held.data(), held.size());
    if (n == static_cast<ssize_t>(held.size())) bootstrap_failed(which + " is longer than 4096 bytes");
    if (!fits) secret::refuse_short(which, bytes);
    return out;
}

} // namespace tutti::transport::bootstrap
