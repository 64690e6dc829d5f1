// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "enter.hpp"

#include <stdexcept>

namespace tutti::soak {

void play_over_verbs(const plan&, int, const reports&, const reserved_port&) {
    throw std::runtime_error("built without libibverbs");
}

} // namespace tutti::soak
