// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/linkage.hpp"
#include "../contract/notice.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tutti::transport::bootstrap {

/// The beginning of a line on standard error.
inline constexpr std::string_view line_prefix = "tutti: ";
/// The beginning of the line of such a mismatch; `tutti run` looks for it.
inline constexpr std::string_view mismatch_at_the_end = "tutti: mismatch at the end of a communicator: ";

/// Compares the calls of ranks on each communicator when they leave. Bounded.
class last_calls {
public:
    static constexpr std::size_t capacity = 65'536; ///< communicators

    /// A rank's account of one communicator. Returns a sentence, without the prefix, if it differs from the first
    /// one's, once. `of_as_many`: it counts only if it is of as many calls.
    [[nodiscard]] std::optional<std::string> compare(int rank, const past_call& c, bool of_as_many) {
        const auto known = accounts_.find(c.communicator);
        if (known != accounts_.end()) {
            if (of_as_many && known->second.last.request != c.request) return std::nullopt;
            return compare(known->second, rank, c);
        }
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

    std::map<std::uint64_t, account> accounts_; // by communicator: of the first rank that told
};

/// The last calls of a rank, as it has told them.
struct history {
    int rank;
    const std::vector<past_call>* calls;
};

/// Two ranks' calls of one number in which they differ.
struct difference {
    struct side {
        int rank;
        const past_call* call;
    };
    side ours, theirs; ///< `theirs` is of those that fewer ranks have made
    bool is_first;     ///< all calls before it were alike, as both are known to have made the one before
};

namespace detail {

inline const past_call* call_of(const history& h, std::uint64_t communicator, std::uint64_t request) {
    const auto found = std::find_if(h.calls->begin(), h.calls->end(), [&](const past_call& c) {
        return c.request == request && c.communicator == communicator;
    });
    return found == h.calls->end() ? nullptr : &*found;
}

struct numbered {
    std::uint64_t communicator, request;
    friend bool operator==(const numbered&, const numbered&) = default;
};
struct hash_of_numbered {
    std::size_t operator()(const numbered& n) const noexcept {
        return n.communicator ^ (n.request * 0x9e3779b97f4a7c15);
    }
};

} // namespace detail

/// For each communicator on which not all have called alike, as far as is known, the lowest number of such a call.
/// Linear in the calls.
TUTTI_COLD inline std::map<std::uint64_t, std::uint64_t> unlike_calls(const std::vector<history>& all) {
    std::unordered_map<detail::numbered, std::uint64_t, detail::hash_of_numbered> signatures;
    std::map<std::uint64_t, std::uint64_t> lowest;
    for (const history& h : all)
        for (const past_call& c : *h.calls) {
            const auto known = signatures.try_emplace({c.communicator, c.request}, c.signature).first->second;
            if (known == c.signature) continue;
            auto& first = lowest.try_emplace(c.communicator, c.request).first->second;
            first = std::min(first, c.request);
        }
    return lowest;
}

/// The difference in that call. Precondition: there is one.
TUTTI_COLD inline difference difference_in(const std::vector<history>& all, std::uint64_t communicator,
                                           std::uint64_t request) {
    const auto call_of = [&](const history& h, std::uint64_t number) {
        return detail::call_of(h, communicator, number);
    };
    struct party {
        std::size_t size = 0;
        const history* first = nullptr;
    };
    std::map<std::uint64_t, party> parties; // by signature
    std::vector<std::uint64_t> in_order;
    for (const history& h : all) {
        const past_call* c = call_of(h, request);
        if (!c) continue;
        party& p = parties[c->signature];
        if (p.size++ == 0) {
            p.first = &h;
            in_order.push_back(c->signature);
        }
    }
    const auto smaller = [&](std::uint64_t a, std::uint64_t b) { return parties[a].size < parties[b].size; };
    const auto most = *std::max_element(in_order.begin(), in_order.end(), smaller); // the first of equal ones
    std::erase(in_order, most);
    const auto least = *std::min_element(in_order.begin(), in_order.end(), smaller);
    const history &ours = *parties[most].first, &theirs = *parties[least].first;
    const bool is_first = request == 0 || (call_of(ours, request - 1) && call_of(theirs, request - 1));
    return {{ours.rank, call_of(ours, request)}, {theirs.rank, call_of(theirs, request)}, is_first};
}

} // namespace tutti::transport::bootstrap
