// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tutti::algorithm::detail {

template <class Local, class Global>
inline constexpr auto hierarchical_letters = [] {
    constexpr std::string_view head = "hierarchical:";
    std::array<char, head.size() + Local::name.size() + 1 + Global::name.size()> letters{};
    std::size_t at = 0;
    for (const std::string_view part : {head, Local::name, std::string_view(":"), Global::name})
        for (const char c : part) letters[at++] = c;
    return letters;
}();

/// "hierarchical:ring:ring" and so on.
template <class Local, class Global>
inline constexpr std::string_view hierarchical_name{hierarchical_letters<Local, Global>.data(),
                                                    hierarchical_letters<Local, Global>.size()};

/// Distinguishes Local and Global from others of their names.
template <class Local, class Global>
[[nodiscard]] constexpr std::uint64_t parameter_of_levels(const Local& local, const Global& global) noexcept {
    std::uint64_t levels = 0;
    if constexpr (requires { global.parameter(); }) levels = global.parameter() * 0x100000001b3;
    if constexpr (requires { local.parameter(); }) levels = (levels ^ local.parameter()) * 0x100000001b3;
    return levels;
}

} // namespace tutti::algorithm::detail
