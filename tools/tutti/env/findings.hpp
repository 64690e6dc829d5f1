// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <transport/contract/processors.hpp>
#include <transport/join/identity.hpp>

#include <string>
#include <vector>

/// What `tutti env` finds out about an identity, in words.
namespace tutti::tools {

[[nodiscard]] std::string host_in_words(const transport::bootstrap::identity& me);
[[nodiscard]] std::string address_in_words(const transport::bootstrap::identity& me);
/// Whether this process can share memory, or why not.
[[nodiscard]] std::string memory_in_words();
/// Where this process may run, and how many ranks have a processor each there.
[[nodiscard]] std::string processors_in_words(const transport::bootstrap::allotment& mine);
/// Where the secret comes from, never the secret.
[[nodiscard]] std::string secret_in_words(const transport::bootstrap::identity& me);
/// What would go wrong, as far as this process can know it alone. Rank 0 tries for a moment to listen.
[[nodiscard]] std::vector<std::string> faults_of(const transport::bootstrap::identity& me);

} // namespace tutti::tools
