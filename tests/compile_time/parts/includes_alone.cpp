// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// What the headers of the first program cost when none of them is used.
#include <collectives/collectives.hpp>
#include <transport/tcp.hpp>

int main() {}
