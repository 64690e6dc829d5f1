// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <transport/sockets/secret.hpp>

#include <string>
#include <string_view>

namespace tutti::test {

/// A secret that is long enough, told apart by a short word; none for no word.
[[nodiscard]] inline transport::bootstrap::secret secret_of(std::string_view word) {
    return transport::bootstrap::secret(word.empty() ? std::string() : std::string(word) + ", and sixteen bytes more");
}

} // namespace tutti::test
