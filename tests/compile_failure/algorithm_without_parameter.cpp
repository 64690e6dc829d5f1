// expect: tutti: an algorithm with data members needs parameter(), which tells its values apart
// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include <collectives/algorithm/prove.hpp>
#include <collectives/algorithm/ring.hpp>

struct with_parameter : tutti::algorithm::ring {
    int root = 0;
#ifdef CONTROL
    [[nodiscard]] constexpr int parameter() const noexcept { return root; }
#endif
};

int main() { return tutti::algorithm::any(with_parameter{}).chunks(tutti::schedule::operation::allreduce, 4) == 0; }
