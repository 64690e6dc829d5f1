// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "compute_law.hpp"

#include "../../tutti/common/quantities.hpp"
#include "words_of_choice.hpp"

namespace tutti::tools {

transport::compute_time compute_time_of(const std::string& law, const std::string& stragglers, std::uint64_t seed) {
    using laws = transport::compute_time::law;
    transport::compute_time found;
    found.seed = seed;
    const words_of_choice drawn(law, "constant(100ms), lognormal(100ms,0.3), exponential(100ms)");
    if (drawn.is("lognormal", 2)) {
        found.by = laws::lognormal;
        found.spread = drawn.number_or_0(1, 1e9);
    } else if (drawn.is("exponential", 1)) {
        found.by = laws::exponential;
    } else if (!drawn.is("constant", 1)) {
        drawn.refuse();
    }
    found.typical = std::chrono::duration<double>(parse_time(drawn.word(0)));
    if (stragglers.empty()) return found;
    const words_of_choice late(stragglers, "slow(3,10x), random(0.01,5x)");
    if (late.is("slow", 2)) {
        found.slow_rank = static_cast<int>(late.number_or_0(0, 1e6));
        found.slow_factor = late.number_or_0(1, 1e9, "x");
    } else if (late.is("random", 2)) {
        found.chance = late.number_or_0(0, 1);
        found.chance_factor = late.number_or_0(1, 1e9, "x");
    } else {
        late.refuse();
    }
    return found;
}

} // namespace tutti::tools
