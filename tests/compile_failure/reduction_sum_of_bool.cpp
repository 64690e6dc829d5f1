// expect: tutti: sum and product are not defined on bool: take maximum for or, minimum for and
// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/reduction/kernel.hpp>

#ifdef CONTROL
using subject = char;
#else
using subject = bool;
#endif

int main() { return tutti::make_reducer<subject>(tutti::sum).combine == nullptr; }
