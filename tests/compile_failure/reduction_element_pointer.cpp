// expect: tutti: an element must not be a pointer: it means nothing on another rank
// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/reduction/kernel.hpp>

#ifdef CONTROL
using subject = int;
#else
using subject = int*;
#endif

int main() { tutti::check_element<subject>(); }
