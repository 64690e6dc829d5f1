// expect: tutti: an algorithm needs the steps of an operation: allreduce(p, put), reduce_scatter(p, partial, put)
// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/algorithm/prove.hpp>

struct to_all {
    static constexpr std::string_view name = "to_all";
    static constexpr int chunks(int) { return 1; }
    static constexpr tutti::algorithm::cost stated(tutti::algorithm::operation, int) { return {}; }
#ifdef CONTROL
    static constexpr void broadcast(const tutti::algorithm::position&, auto&&) {}
#else
    static constexpr void brodcast(const tutti::algorithm::position&, auto&&) {}
#endif
};

bool proven() { return tutti::algorithm::prove(to_all{}).proven; }
