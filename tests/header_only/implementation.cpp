// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <tutti/transport/memory.hpp>

#include <tutti/transport/tcp.hpp> // and the others that the program includes

#include <tutti/collectives/implementation.hpp>
