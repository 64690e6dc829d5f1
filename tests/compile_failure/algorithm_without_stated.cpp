// expect: tutti: an algorithm needs cost stated(operation, int size)
// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/algorithm/prove.hpp>

struct to_all {
    static constexpr std::string_view name = "to_all";
    static constexpr int chunks(int) { return 1; }
#ifdef CONTROL
    static constexpr tutti::algorithm::cost stated(tutti::algorithm::operation, int) { return {}; }
#endif
    static constexpr void broadcast(const tutti::algorithm::position&, auto&&) {}
};

bool proven() { return tutti::algorithm::prove(to_all{}).proven; }
