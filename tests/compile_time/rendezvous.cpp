// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// What hosts the rendezvous of a header-only program, in a source of its own.
#include <tutti/transport/rendezvous.hpp>

int main() {}
