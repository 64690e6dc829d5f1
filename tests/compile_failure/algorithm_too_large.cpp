// expect: an algorithm is a small value: at most 16 bytes, trivially copyable
// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/algorithm/prove.hpp>
#include <collectives/algorithm/ring.hpp>

struct with_parameters : tutti::algorithm::ring {
#ifdef CONTROL
    int parameters[4] = {};
#else
    int parameters[5] = {};
#endif
    [[nodiscard]] constexpr int parameter() const noexcept { return 1; }
};

int main() { return tutti::algorithm::any(with_parameters{}).chunks(tutti::schedule::operation::allreduce, 4) == 0; }
