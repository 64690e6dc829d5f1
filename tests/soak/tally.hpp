// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "oracle.hpp"
#include "plan.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace tutti::soak {

/// What came of one world: plain data, in memory shared with the process that has performed it.
struct result {
    bool complete = false;
    long long calls = 0;
    std::array<int, flaws_in_words.size()> flaws{};
    std::array<char, 60'000> text{}; ///< plan, findings and reports, where something is wrong

    [[nodiscard]] bool failed() const noexcept;
    void say(const std::string& words) noexcept;
};

/// What came of all.
class tally {
public:
    void add(const plan& p, const result& r, const std::string& command);

    [[nodiscard]] bool failed() const noexcept { return failures_ > 0; }
    [[nodiscard]] std::string progress(double seconds) const;
    [[nodiscard]] std::string table(std::uint64_t seed, double seconds) const;
    [[nodiscard]] std::string json(std::uint64_t seed, double seconds) const;

private:
    struct failing {
        std::string command, text;
    };

    long long worlds_ = 0, calls_ = 0, failures_ = 0;
    std::array<long long, 5> fabrics_{};
    std::array<long long, fault_kinds> faults_{};
    std::array<long long, flaws_in_words.size()> flaws_{};
    std::vector<failing> failing_;
};

} // namespace tutti::soak
