// expect: tutti: the factor of premultiplied_sum must be a number, neither complex nor bool
// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/reduction/complex.hpp>

using element = std::complex<double>;
#ifdef CONTROL
constexpr double factor = 2;
#else
constexpr element factor(0, 1);
#endif

int main() { return tutti::make_reducer<element>(tutti::premultiplied_sum(factor)).combine == nullptr; }
