// expect: tutti: hierarchical needs a global algorithm that has an allreduce
// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/algorithm/all.hpp>

struct only_allgather {
    static constexpr std::string_view name = "only_allgather";
    static constexpr int chunks(int size) { return size; }
    static constexpr tutti::algorithm::cost stated(tutti::algorithm::operation, int) { return {}; }
    static constexpr void allgather(const tutti::algorithm::position&, auto&&) {}
};

#ifdef CONTROL
using global = tutti::algorithm::naive;
#else
using global = only_allgather;
#endif

int main() {
    return tutti::algorithm::hierarchical<tutti::algorithm::ring, global>{2}.chunks(
               tutti::algorithm::operation::allreduce, 4) == 0;
}
