// expect: tutti: average needs a floating-point element: take sum and divide
// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/reduction/kernel.hpp>

#ifdef CONTROL
using subject = float;
#else
using subject = int;
#endif

int main() { return tutti::make_reducer<subject>(tutti::average).combine == nullptr; }
