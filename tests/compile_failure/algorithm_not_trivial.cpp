// expect: an algorithm is a small value: at most 16 bytes, trivially copyable
// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/algorithm/prove.hpp>
#include <collectives/algorithm/ring.hpp>

#include <memory>

struct with_ownership : tutti::algorithm::ring {
#ifdef CONTROL
    int* order = nullptr;
#else
    std::shared_ptr<int> order;
#endif
    [[nodiscard]] constexpr int parameter() const noexcept { return 1; }
};

int main() { return tutti::algorithm::any(with_ownership{}).chunks(tutti::schedule::operation::allreduce, 4) == 0; }
