// expect: tutti: the operator must be callable, as a const object, with two elements (T const&, T const&)
// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/reduction/kernel.hpp>

struct point {
    float x, y;
};

#ifdef CONTROL
using result = point;
#else
using result = float;
#endif

int main() {
    const auto first = [](const point& a, const point&) -> result { return {a.x}; };
    return tutti::make_reducer<point>(first).combine == nullptr;
}
