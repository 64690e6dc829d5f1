// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// The network of a header-only program, in a source of its own.
#include <tutti/transport/network.hpp>

int main() {}
