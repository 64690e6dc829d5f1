// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "launched.hpp"

#include <transport/bootstrap/launchers.hpp>

#include <stdexcept>

#include <fmt/format.h>

namespace tutti::tools {

std::optional<launched> launched_place() {
    const auto* const from = transport::bootstrap::present_launcher();
    if (!from) return std::nullopt;
    const auto me = transport::bootstrap::identity_from_environment();
    const bool by_tutti = from == &transport::bootstrap::launchers.front();
    if (me.size == 1 && !by_tutti) return std::nullopt;
    return launched{me.rank, me.size, from->name, by_tutti};
}

void require_no_launcher(const std::string& work) {
    const auto place = launched_place();
    if (place && place->size > 1)
        throw std::invalid_argument(fmt::format("{}, and {} started {} processes, each of which would do so: start one",
                                                work, place->launcher, place->size));
}

} // namespace tutti::tools
