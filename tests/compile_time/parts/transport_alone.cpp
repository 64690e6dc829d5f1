// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// What one transport costs without the engine and its algorithms.
#include <transport/tcp.hpp>

int main() { return tutti::transport::tcp::from_environment().rank(); }
