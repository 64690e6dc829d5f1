// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/language.hpp"
#include "../../base/linkage.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tutti::schedule {

/// The lengths of a call's parts, where these are not equal, as far as this rank knows them; and where the parts lie in
/// this rank's buffers, if not one after the other.
class part_lengths {
public:
    /// A part a rank, of `counts[r]` elements. With `known_to_all`, all ranks have the same counts.
    TUTTI_CONSTEXPR part_lengths(std::span<const std::size_t> counts, bool known_to_all)
        : before_(sums_of(counts)), known_to_all_(known_to_all) {}
    /// A rank's own part of `size`, of `count` elements: it does not know the others.
    TUTTI_CONSTEXPR part_lengths(int rank, int size, std::size_t count)
        : before_(static_cast<std::size_t>(size) + 1, count), rank_(static_cast<std::size_t>(rank)), only_own_(true) {
        for (std::size_t r = 0; r <= rank_; ++r) before_[r] = 0;
    }
    /// The blocks of an alltoall to each rank and from each rank, as this one knows them. Precondition: the block to
    /// this rank is as long as the block from it.
    TUTTI_CONSTEXPR part_lengths(int rank, std::span<const std::size_t> sent, std::span<const std::size_t> received)
        : before_(sums_of(received)), sent_before_(sums_of(sent)), rank_(static_cast<std::size_t>(rank)) {}

    /// All ranks know the same lengths.
    [[nodiscard]] constexpr bool known_to_all() const noexcept { return known_to_all_; }
    /// The elements of all parts before this one. Parts that this rank does not know count nothing.
    [[nodiscard]] TUTTI_CONSTEXPR std::size_t before(std::size_t part) const noexcept {
        if (sent_before_.empty()) return before_[part];
        const std::size_t ranks = before_.size() - 1, to = part / ranks, from = part % ranks;
        const std::size_t blocks = to + (from > rank_ ? 1 : 0); // of those sent, so many have lower numbers
        const std::size_t own = blocks > rank_ ? sent_before_[rank_ + 1] - sent_before_[rank_] : 0;
        const std::size_t received = to < rank_ ? 0 : to == rank_ ? before_[from] : before_.back();
        return sent_before_[blocks] - own + received;
    }
    /// Of an alltoall: the elements of the blocks to the first so many ranks.
    [[nodiscard]] TUTTI_CONSTEXPR std::size_t sent_before(int ranks) const noexcept {
        return sent_before_[static_cast<std::size_t>(ranks)];
    }

    /// Where the parts of a buffer begin, by rank, from now on: elements from the beginning of the buffer. Empty: they
    /// lie one after the other.
    TUTTI_CONSTEXPR void displace(std::vector<std::size_t> in_input, std::vector<std::size_t> in_output) {
        input_at_ = std::move(in_input);
        output_at_ = std::move(in_output);
    }
    /// By rank, where its part begins in the input; empty where they lie one after the other.
    [[nodiscard]] constexpr std::span<const std::size_t> input_at() const noexcept { return input_at_; }
    /// The same of the output.
    [[nodiscard]] constexpr std::span<const std::size_t> output_at() const noexcept { return output_at_; }

    /// The hash of what all ranks know: all lengths, or none.
    [[nodiscard]] TUTTI_CONSTEXPR std::uint64_t meaning() const noexcept {
        std::uint64_t h = 0xcbf29ce484222325; // FNV-1a, of words
        if (known_to_all_)
            for (const std::size_t n : before_) h = (h ^ n) * 0x100000001b3;
        return h;
    }

    /// "in parts of 4, 0, 7"; at most eight numbers.
    [[nodiscard]] std::string in_words() const {
        if (only_own_) return "in a part of " + std::to_string(before_.back());
        if (sent_before_.empty()) return "in parts of " + numbers_of(before_);
        return "in blocks, sent " + numbers_of(sent_before_) + ", received " + numbers_of(before_);
    }

private:
    TUTTI_COLD [[nodiscard]] static std::string numbers_of(const std::vector<std::size_t>& before) {
        constexpr std::size_t most = 8;
        std::string text;
        for (std::size_t k = 1; k < before.size() && k <= most; ++k)
            text += (k > 1 ? ", " : "") + std::to_string(before[k] - before[k - 1]);
        return before.size() > most + 1 ? text + ", ..." : text;
    }
    [[nodiscard]] static TUTTI_CONSTEXPR std::vector<std::size_t> sums_of(std::span<const std::size_t> counts) {
        std::vector<std::size_t> sums{0};
        for (const std::size_t n : counts) sums.push_back(sums.back() + n);
        return sums;
    }

    std::vector<std::size_t> before_;      ///< by part, the elements before it; of an alltoall the parts received
    std::vector<std::size_t> sent_before_; ///< of an alltoall: the same of the parts sent; else empty
    std::vector<std::size_t> input_at_, output_at_;
    std::size_t rank_ = 0; ///< this one, of an alltoall or where it knows only its own part
    bool known_to_all_ = false;
    bool only_own_ = false;
};

} // namespace tutti::schedule
