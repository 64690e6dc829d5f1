// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../allreduce_packets.hpp"
#include "../allreduce_shots.hpp"
#include "../fused_allreduce.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

/// The calls of kernels, without their types; and with them, from type and operator. `average` is a sum that is scaled
/// before it is rounded, once.
namespace tutti::kernels {

/// A fused_allreduce.
struct fused_call {
    std::uint64_t type, op;                                                      ///< tutti::type_id, tutti::operator_id
    unsigned ranks;                                                              ///< how many there are
    std::uint64_t call, signature;                                               ///< of the requests
    std::size_t count;                                                           ///< elements
    const call_request* requests;                                                ///< in memory of the device
    const std::array<std::array<std::byte*, most_windows>, most_peers>* windows; ///< where they are mapped
    std::uint64_t* failure; ///< a word of the host's, as the device reaches it
};

/// How ranks reduce whose kernels wait for each other.
enum class group_way : std::uint8_t { packets, one_shot, two_shots };

/// An allreduce of a group, as far as one cooperative launch does it: of all ranks, where they share a device; else of
/// one.
struct group_call {
    std::uint64_t type = 0, op = 0;           ///< tutti::type_id, tutti::operator_id
    group_way way = group_way::packets;       ///< how
    std::span<const peer_group> groups;       ///< by rank
    unsigned first = 0, number = 1;           ///< the ranks whose blocks this launch has
    packet_boxes boxes;                       ///< of all ranks
    std::uint32_t signature = 0;              ///< of the call
    std::size_t count = 0;                    ///< elements
    std::array<std::byte*, most_peers> in{};  ///< by rank
    std::array<std::byte*, most_peers> out{}; ///< by rank
};

namespace detail {

/// The operator of the reduction, and what takes its totals.
template <class T, class Op>
struct stages {
    using op = Op;
    using last = stored<T>;
    [[nodiscard]] static last make(unsigned) noexcept { return {}; }
    [[nodiscard]] static stored<T>& destinations(last& l) noexcept { return l; }
};
template <class T>
struct stages<T, average_operator> {
    using wide = tutti::detail::wide<T>;
    using op = sum_operator;
    using last = scaled<wide, stored<T>>;
    [[nodiscard]] static last make(unsigned ranks) noexcept {
        last l;
        l.factor = wide{1} / static_cast<wide>(ranks);
        return l;
    }
    [[nodiscard]] static stored<T>& destinations(last& l) noexcept { return l.next; }
};

} // namespace detail

/// The kernel's parameter.
template <element T, class Op>
[[nodiscard]] auto typed(const fused_call& c) noexcept {
    using stages = detail::stages<T, Op>;
    fused_allreduce<T, typename stages::op, typename stages::last> call;
    call.ranks = c.ranks;
    call.call = c.call;
    call.signature = c.signature;
    call.count = c.count;
    call.requests = c.requests;
    for (unsigned r = 0; r < c.ranks; ++r)
        for (unsigned w = 0; w < most_windows; ++w) call.windows[r][w] = (*c.windows)[r][w];
    call.failure = c.failure;
    call.last = stages::make(c.ranks);
    return call;
}

/// What each rank does, by rank; the first groups.size() of them.
template <element T, class Op>
[[nodiscard]] auto typed(const group_call& c) {
    using stages = detail::stages<T, Op>;
    using kind = reduction<T, typename stages::op, typename stages::last>;
    const auto ranks = static_cast<unsigned>(c.groups.size());
    std::array<kind, most_peers> all;
    for (unsigned r = 0; r < ranks; ++r) {
        kind& what = all[r];
        what.count = c.count;
        what.last = stages::make(ranks);
        auto& to = stages::destinations(what.last);
        what.sources = c.way == group_way::packets ? 1 : ranks;
        for (unsigned p = 0; p < what.sources; ++p)
            what.from[p] = reinterpret_cast<const T*>(c.in[c.way == group_way::packets ? r : p]);
        to.number = c.way == group_way::two_shots ? ranks : 1;
        for (unsigned p = 0; p < to.number; ++p)
            to.to[p] = reinterpret_cast<T*>(c.out[c.way == group_way::two_shots ? p : r]);
        if (c.way == group_way::two_shots) what = part_of(what, r, ranks);
    }
    return all;
}

} // namespace tutti::kernels
