// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "launched.hpp"

#include <transport/join/launchers.hpp>

#include <cstdlib>
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

bool is_launched_rank(int ranks) {
    if (launched_place()) return true;
    const bool is_shell_of_srun = std::getenv("SLURM_PTY_PORT") != nullptr; // of srun --pty
    return transport::bootstrap::present_launcher() && ranks <= 1 && !is_shell_of_srun;
}

void require_no_launcher(const std::string& work) {
    const auto place = launched_place();
    if (place && place->size > 1)
        throw std::invalid_argument(fmt::format("{}, and {} started {} processes, each of which would do so: start one",
                                                work, place->launcher, place->size));
}

} // namespace tutti::tools
