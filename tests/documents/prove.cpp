// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "my_ring.hpp"

#include <tutti/collectives/algorithm/prove.hpp>

#include <cstdio>

int main() { std::puts(tutti::algorithm::prove(my_ring{}, {.ranks = {1, 64}}).message().c_str()); }
