// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "support/effort.hpp"
#include "support/world.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <vector>

/// What all algorithms are put through: each rank's data is a known multiple of a pattern, so that a contribution that
/// is lost, doubled or in the wrong place shows.
namespace tutti::test {

using number = std::uint32_t;

inline const std::vector<int> sizes = threads_watched ? std::vector{1, 2, 3, 4, 7}
                                      : sanitized     ? std::vector{1, 2, 3, 4, 5, 7, 8, 16}
                                                      : std::vector{1, 2, 3, 4, 5, 7, 8, 16, 33};

[[nodiscard]] inline std::set<std::size_t> counts_for(int size) {
    return {0, 1, static_cast<std::size_t>(size) - 1, static_cast<std::size_t>(size), 1000, 65537};
}
[[nodiscard]] inline std::set<int> roots_of(int size) { return {0, size / 2, size - 1}; }

[[nodiscard]] constexpr number weight(int rank) { return static_cast<number>(rank * rank + 3 * rank + 1); }
[[nodiscard]] constexpr number total_weight(int size) {
    number sum = 0;
    for (int r = 0; r < size; ++r) sum += weight(r);
    return sum;
}
[[nodiscard]] constexpr number pattern(std::size_t i) { return static_cast<number>(i) * 2654435761U + 1; }

/// A range with a canary on either side.
class guarded {
public:
    explicit guarded(std::size_t count) : all_(count + 2, canary) {}
    [[nodiscard]] std::span<number> data() { return std::span(all_).subspan(1, all_.size() - 2); }
    /// data[i] = w pattern(i + offset)
    void fill(number w, std::size_t offset = 0) {
        for (std::size_t i = 0; number & x : data()) x = w * pattern(offset + i++);
    }
    void expect_filled(number w, const std::string& what, std::size_t offset = 0) {
        for (std::size_t i = 0; number x : data()) {
            if (x != w * pattern(offset + i)) expect(false, what + ", element " + std::to_string(i));
            ++i;
        }
        expect(all_.front() == canary && all_.back() == canary, what + ", nothing beside it");
    }

private:
    static constexpr number canary = 0xdeadbeef;
    std::vector<number> all_;
};

[[nodiscard]] inline std::string in_words(const char* what, const algorithm::any& how, const communicator& world,
                                          std::size_t count) {
    return std::string(what) + " by " + std::string(how.name()) + " on " + std::to_string(world.size()) + " ranks of " +
           std::to_string(count);
}

/// Runs `check` with every algorithm that has a schedule for `what`, on every size and count.
inline void for_all(schedule::operation what,
                    const std::function<void(communicator&, const algorithm::any&, std::size_t)>& check) {
    for (const int size : sizes)
        run_world(size, [&](communicator& world) {
            for (const auto& how : algorithm::all(3))
                for (const std::size_t count : counts_for(size))
                    if (how.offers(what)) check(world, how, count);
        });
}

} // namespace tutti::test
