// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../common/sizes.hpp"

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

/// Flags as other benchmarks have them, which would be read as others of ours.
namespace tutti::tools {

/// Throws where one dash was the Intel MPI benchmarks' for a whole name, such as -iter: read as -i ter.
inline void refuse_name_of_imb(const std::string& word, std::string_view letter, std::string_view name,
                               std::string_view instead) {
    if (!name.starts_with(letter) || word != name.substr(letter.size())) return;
    throw std::invalid_argument(fmt::format("-{} is of the Intel MPI benchmarks: here it is {}", name, instead));
}

/// nccl-tests' -i is a step of bytes, that of OSU's benchmarks a number of iterations.
[[nodiscard]] inline std::size_t parse_step(const std::string& text) {
    refuse_name_of_imb(text, "i", "iter", "-n N");
    const std::size_t step = parse_size(text);
    if (step == 0)
        throw std::invalid_argument(
            "a step of no bytes leads nowhere; without -i each size is --factor times the former");
    return step;
}

/// Beside options that OSU's benchmarks have and nccl-tests have not, -i is meant as OSU has it.
inline void refuse_step_of_osu(const CLI::App& c) {
    if (c.count("--step-bytes") == 0) return;
    for (const char* const of_osu : {"-m", "-x"})
        if (c.count(of_osu) > 0)
            throw CLI::ValidationError(fmt::format(
                "-i is a step of bytes here, as in nccl-tests; beside {} as of OSU write -n for iterations, "
                "and --step-bytes with --min-bytes and --max-bytes for a step",
                of_osu));
}

} // namespace tutti::tools
