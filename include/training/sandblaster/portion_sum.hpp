// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace tutti::training::sandblaster {

/// The sum of the portions' gradients, added in a binary tree over the portions' numbers. So its bits depend neither on
/// the order in which they come nor on who computed them. A portion that comes again is ignored.
///
/// Memory: where m portions are missing among n, at most m log2(n) vectors.
class portion_sum {
public:
    portion_sum() = default;
    /// Of portions 0 to n - 1.
    explicit portion_sum(std::uint32_t n) : there_(n) {}

    /// False: there is no such portion.
    bool add(std::uint32_t portion, std::vector<float> gradient) {
        if (portion >= there_.size()) return false;
        if (there_[portion]) return true;
        there_[portion] = true;
        ++arrived_;
        climb(0, portion, std::move(gradient));
        return true;
    }
    /// Whether all portions are there.
    [[nodiscard]] bool complete() const noexcept { return arrived_ == there_.size() && arrived_ > 0; }
    /// Precondition: complete, and not taken before.
    [[nodiscard]] std::vector<float> take() { return std::move(waiting_.begin()->second); }

private:
    /// A node of the tree: its level, where leaves have 0, and its number in there.
    using node = std::pair<std::uint32_t, std::uint64_t>;

    /// Adds a node to its sibling if that is there, and goes on with their parent; else it waits for it.
    void climb(std::uint32_t level, std::uint64_t number, std::vector<float> value) {
        for (; std::uint64_t{1} << level < there_.size(); ++level, number /= 2) {
            const std::uint64_t sibling = number ^ 1U;
            if (sibling << level >= there_.size()) continue; // it has no leaves
            const auto at = waiting_.find({level, sibling});
            if (at == waiting_.end()) break;
            // Addition commutes, so it does not matter which one is the left one.
            for (std::size_t i = 0; i < value.size(); ++i) value[i] += at->second[i];
            waiting_.erase(at);
        }
        waiting_.emplace(node{level, number}, std::move(value));
    }

    std::vector<bool> there_;
    std::size_t arrived_ = 0;
    std::map<node, std::vector<float>> waiting_;
};

} // namespace tutti::training::sandblaster
