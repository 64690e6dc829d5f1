// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "command.hpp"

int main(int argc, char** argv) { return tutti::tools::lab::main(argc, argv); }
