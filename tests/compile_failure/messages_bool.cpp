// expect: tutti: a std::vector<bool> stores bits, which are no elements: receive char
// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/collectives.hpp>
#include <transport/memory.hpp>

#ifdef CONTROL
using subject = char;
#else
using subject = bool;
#endif

void call(const tutti::communicator<tutti::transport::memory>& world) { static_cast<void>(world.receive<subject>(0)); }
