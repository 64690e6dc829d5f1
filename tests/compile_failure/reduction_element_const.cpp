// expect: tutti: an element must be a plain object: no const, volatile, reference, array, function or void
// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/reduction/kernel.hpp>

#ifdef CONTROL
using subject = int;
#else
using subject = const int;
#endif

int main() { tutti::check_element<subject>(); }
