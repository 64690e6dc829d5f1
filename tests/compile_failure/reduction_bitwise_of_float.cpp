// expect: tutti: the bitwise operators need an integer element
// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/reduction/kernel.hpp>

#ifdef CONTROL
using subject = int;
#else
using subject = float;
#endif

int main() { return tutti::make_reducer<subject>(tutti::bitwise_xor).combine == nullptr; }
