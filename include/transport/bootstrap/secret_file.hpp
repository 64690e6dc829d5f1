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

/// Reads a secret from a file that only its owner can read; line ends at its end do not count. Throws a bootstrap error
/// that names the file and what is wrong with it.
[[nodiscard]] inline secret read_secret_file(const std::string& path) {
    const std::string which = "the secret file " + path;
    // Not to be held up by a pipe that someone put there; what was opened is what is judged.
    const descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    struct stat facts {};
    if (!file || ::fstat(file.get(), &facts) != 0)
        bootstrap_failed("cannot read " + which + ": " + words_of_errno(errno), "check TUTTI_SECRET_FILE");
    if (!S_ISREG(facts.st_mode)) bootstrap_failed(which + " is not a regular file", "check TUTTI_SECRET_FILE");
    if ((facts.st_mode & 077) != 0)
        bootstrap_failed(which + " can be read or changed by others than its owner", "chmod 600 " + path);
    std::array<char, 4097> held{};
    const auto n = ::read(file.get(), held.data(), held.size());
    std::string_view text(held.data(), n > 0 ? static_cast<std::size_t>(n) : 0);
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
    const secret out(text);
    OPENSSL_cleanse(held.data(), held.size());
    if (!out.configured()) bootstrap_failed(which + " is empty", "put 16 random bytes or more into it");
    if (n == static_cast<ssize_t>(held.size())) bootstrap_failed(which + " is longer than 4096 bytes");
    return out;
}

} // namespace tutti::transport::bootstrap
