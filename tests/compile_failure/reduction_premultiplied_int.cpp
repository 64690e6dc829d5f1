// expect: tutti: premultiplied_sum of integers needs an integer as the factor
// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/reduction/kernel.hpp>

#ifdef CONTROL
constexpr int factor = 2;
#else
constexpr double factor = 0.5;
#endif

int main() { return tutti::make_reducer<int>(tutti::premultiplied_sum(factor)).combine == nullptr; }
