// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "my_ring.hpp"

#include <tools/tutti/command.hpp>

int main(int argc, char** argv) { return tutti::tools::main(argc, argv, my_ring{}); }
