// expect: tutti: an element must be trivially copyable: it travels as its bytes (std::pair and std::tuple are not
// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/collectives.hpp>
#include <transport/memory.hpp>

#include <utility>

#ifdef CONTROL
using subject = int;
#else
using subject = std::pair<int, float>;
#endif

void call(const tutti::communicator<tutti::transport::memory>& world) { static_cast<void>(world.receive<subject>(0)); }
