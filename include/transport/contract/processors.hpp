// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

namespace tutti::transport::bootstrap {

/// Logical processors of a host, by their numbers from 0. Two threads of one core are two.
class processor_set {
public:
    static constexpr std::size_t max_words = 128;         ///< of 64 processors each
    static constexpr int max_processors = 64 * max_words; ///< as many as Linux can be built for

    processor_set() = default;
    /// The processors of these numbers.
    processor_set(std::initializer_list<int> numbers) {
        for (const int number : numbers) add(number);
    }
    /// Processor n is bit n % 64 of word n / 64. Words beyond `max_words` are not looked at.
    explicit processor_set(std::span<const std::uint64_t> words)
        : words_(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(std::min(words.size(), max_words))) {
        trim();
    }

    /// Precondition: from 0 to below `max_processors`.
    void add(int number) {
        const auto at = static_cast<std::size_t>(number) / 64;
        if (words_.size() <= at) words_.resize(at + 1);
        words_[at] |= std::uint64_t{1} << (number % 64);
    }
    /// Adds those of the other.
    void add(const processor_set& o) {
        words_.resize(std::max(words_.size(), o.words_.size()));
        for (std::size_t i = 0; i < o.words_.size(); ++i) words_[i] |= o.words_[i];
    }
    /// Removes those of the other.
    void remove(const processor_set& o) {
        for (std::size_t i = 0; i < std::min(words_.size(), o.words_.size()); ++i) words_[i] &= ~o.words_[i];
        trim();
    }
    /// Leaves those that the other has too.
    void keep(const processor_set& o) {
        words_.resize(std::min(words_.size(), o.words_.size()));
        for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= o.words_[i];
        trim();
    }

    /// As the constructor takes them; the last one is not 0.
    [[nodiscard]] std::span<const std::uint64_t> words() const noexcept { return words_; }
    /// No processor belongs to it.
    [[nodiscard]] bool empty() const noexcept { return words_.empty(); }
    /// How many processors belong to it.
    [[nodiscard]] std::size_t count() const noexcept {
        std::size_t all = 0;
        for (const std::uint64_t w : words_) all += static_cast<std::size_t>(std::popcount(w));
        return all;
    }
    /// The lowest number. Precondition: not empty.
    [[nodiscard]] int first() const noexcept {
        std::size_t i = 0;
        while (words_[i] == 0) ++i;
        return static_cast<int>(64 * i) + std::countr_zero(words_[i]);
    }
    /// Calls use(number) for each, ascending.
    template <class Use>
    void each(Use&& use) const {
        for (std::size_t i = 0; i < words_.size(); ++i)
            for (std::uint64_t left = words_[i]; left != 0; left &= left - 1)
                use(static_cast<int>(64 * i) + std::countr_zero(left));
    }
    /// The numbers, ascending.
    [[nodiscard]] std::vector<int> numbers() const {
        std::vector<int> all;
        each([&](int number) { all.push_back(number); });
        return all;
    }
    /// "0-3,8"
    [[nodiscard]] std::string text() const {
        std::string words;
        const auto all = numbers();
        for (std::size_t first = 0, next = 0; first < all.size(); first = next) {
            while (next < all.size() && all[next] - all[first] == static_cast<int>(next - first)) ++next;
            words += (words.empty() ? "" : ",") + std::to_string(all[first]);
            if (next - first > 1) words += "-" + std::to_string(all[next - 1]);
        }
        return words;
    }
    friend bool operator==(const processor_set&, const processor_set&) = default;

private:
    void trim() {
        while (!words_.empty() && words_.back() == 0) words_.pop_back();
    }

    std::vector<std::uint64_t> words_; // the last one is not 0
};

/// "processors 0-1, not crowded": where a rank runs, and whether the ranks of its host must share processors.
[[nodiscard]] inline std::string in_words(const processor_set& processors, bool crowded) {
    return (processors.count() == 1 ? "processor " : "processors ") + processors.text() +
           (crowded ? ", crowded" : ", not crowded");
}

/// How much processor time the processes of one cgroup may take together.
struct cpu_quota {
    std::uint32_t thousandths = 0; ///< of a processor; 0: no limit
    std::uint64_t device = 0;      ///< of the cgroup's folder, by stat(2): who has the same two shares the quota
    std::uint64_t inode = 0;       ///< of that folder, too
    friend bool operator==(const cpu_quota&, const cpu_quota&) = default;
};

/// What a process may use of its host.
struct allotment {
    processor_set processors{0}; ///< that it may run on
    cpu_quota quota;             ///< the tightest of its cgroups'
    friend bool operator==(const allotment&, const allotment&) = default;
};

} // namespace tutti::transport::bootstrap
