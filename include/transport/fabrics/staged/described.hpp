// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../contract/device_runtime.hpp"
#include "../../world/world.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace tutti::transport {

/// Settings of a fabric that stages device memory for another one. Ranks may differ in the device.
template <class Inner>
struct staged_limits {
    int device = -1;                ///< its number; -1: the current one of the thread that makes the transport
    typename Inner::limits inner{}; ///< of the fabric that carries the messages
};

namespace detail::staged {
template <class Inner, device_runtime R>
class fabric;
template <class Inner, device_runtime R>
class channel;

/// "staged tcp", of "tcp".
template <class Inner>
inline constexpr auto staged_name = [] {
    constexpr std::string_view before = "staged ", name = Inner::name;
    std::array<char, before.size() + name.size() + 1> all{};
    std::copy(name.begin(), name.end(), std::copy(before.begin(), before.end(), all.begin()));
    return all;
}();
} // namespace detail::staged

/// Describes a fabric whose messages may lie in device memory. It is made of one of host memory, as `tcp_fabric`. Data
/// of a device are copied through pinned host memory, piece by piece. See fabric.hpp.
template <class Inner, device_runtime R>
struct staged_fabric {
    /// Its part of the description, as the table of the concept `fabric` has it.
    /// @{
    using fabric = detail::staged::fabric<Inner, R>;
    using channel = detail::staged::channel<Inner, R>;
    using limits = staged_limits<Inner>;
    static constexpr const char* name = detail::staged::staged_name<Inner>.data();
    static constexpr medium between = Inner::between;
    static constexpr bool views = false, allocates = true, needs_sockets = Inner::needs_sockets, reaches_devices = true;
    /// @}
};

} // namespace tutti::transport
