// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "line.hpp"

#include <tools/tutti/command.hpp>

int main(int argc, char** argv) { return tutti::tools::main(argc, argv, line{}); }
