// expect: tutti: the operator must be callable, as a const object, with two elements (T const&, T const&)
// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/reduction/kernel.hpp>

struct point {
    float x, y;
};

#ifdef CONTROL
using subject = int;
#else
using subject = point;
#endif

int main() {
    const auto plus = [](int a, int b) { return a + b; };
    return tutti::make_reducer<subject>(plus).combine == nullptr;
}
