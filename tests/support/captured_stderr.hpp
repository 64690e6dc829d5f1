// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <unistd.h>

#include <cstdio>
#include <memory>
#include <string>

namespace tutti::test {

/// What this process says on standard error goes to a file instead, as long as this lives.
class captured_stderr {
public:
    captured_stderr() { ::dup2(::fileno(file_.get()), STDERR_FILENO); }
    captured_stderr(const captured_stderr&) = delete;
    captured_stderr& operator=(const captured_stderr&) = delete;
    ~captured_stderr() {
        ::dup2(before_, STDERR_FILENO);
        ::close(before_);
    }

    /// So far.
    [[nodiscard]] std::string text() const {
        std::fflush(stderr);
        std::string all(64 * 1024, '\0');
        const auto got = ::pread(::fileno(file_.get()), all.data(), all.size(), 0);
        all.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
        return all;
    }

private:
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_{std::tmpfile(), &std::fclose};
    int before_ = ::dup(STDERR_FILENO);
};

} // namespace tutti::test
