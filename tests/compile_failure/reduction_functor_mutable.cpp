// expect: tutti: the operator must be callable, as a const object, with two elements (T const&, T const&)
// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/reduction/kernel.hpp>

#ifdef CONTROL
auto counted = [calls = 0](int a, int b) { return a + b + 0 * calls; };
#else
auto counted = [calls = 0](int a, int b) mutable { return a + b + 0 * ++calls; };
#endif

int main() { return tutti::make_reducer<int>(counted).combine == nullptr; }
