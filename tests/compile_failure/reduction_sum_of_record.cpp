// expect: tutti: sum, product, minimum, maximum and the logical operators need an arithmetic element: give a functor
// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/reduction/kernel.hpp>

struct point {
    float x, y;
};

#ifdef CONTROL
using subject = float;
#else
using subject = point;
#endif

int main() { return tutti::make_reducer<subject>(tutti::sum).combine == nullptr; }
