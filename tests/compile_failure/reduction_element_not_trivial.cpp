// expect: tutti: an element must be trivially copyable: it travels as its bytes
// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/reduction/kernel.hpp>

#include <string>

#ifdef CONTROL
using subject = char;
#else
using subject = std::string;
#endif

int main() { tutti::check_element<subject>(); }
