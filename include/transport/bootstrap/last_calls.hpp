// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../notice.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace tutti::transport::bootstrap {

/// What a line on standard error begins with.
inline constexpr std::string_view line_prefix = "tutti: ";
/// What the line of such a mismatch begins with; `tutti run` looks for it.
inline constexpr std::string_view mismatch_at_the_end = "tutti: mismatch at the end of a communicator: ";

/// Compares what ranks have called on each communicator when they leave. Bounded.
class last_calls {
public:
    static constexpr std::size_t capacity = 65'536; ///< communicators

    /// A rank's account of one communicator. Returns a sentence, without the prefix, if it differs from the first
    /// one's, once.
    [[nodiscard]] std::optional<std::string> compare(int rank, const past_call& c) {
        const auto known = accounts_.find(c.communicator);
        if (known != accounts_.end()) return compare(known->second, rank, c);
        if (accounts_.size() < capacity) accounts_.emplace(c.communicator, account{rank, c, false});
        return std::nullopt;
    }

private:
    struct account {
        int rank;
        past_call last;
        bool complained;
    };

    static std::optional<std::string> compare(account& a, int rank, const past_call& c) {
        if (a.complained || (a.last.request == c.request && a.last.signature == c.signature)) return std::nullopt;
        a.complained = true;
        return std::string(mismatch_at_the_end.substr(line_prefix.size())) + in_words(a.rank, a.last) + "; " +
               in_words(rank, c) +
               "; make all ranks call the same operations in the same order with equal arguments; "
               "a barrier() at the end of the program makes this an exception";
    }
    static std::string in_words(int rank, const past_call& c) {
        return "rank " + std::to_string(rank) + " made " + std::to_string(c.request) +
               (c.request == 1 ? " call, " : " calls, the last of them ") + c.call;
    }

    std::map<std::uint64_t, account> accounts_; // by communicator: who told first
};

} // namespace tutti::transport::bootstrap
