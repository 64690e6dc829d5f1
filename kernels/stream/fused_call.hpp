// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../allreduce/allreduce_packets.hpp"
#include "../allreduce/allreduce_shots.hpp"
#include "../allreduce/fused_allreduce.hpp"
#include "../allreduce/placed_allreduce.hpp"
#include "../engine/device_engine.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

/// The calls of kernels, without their types; and with them, from type and operator. `average` is a sum that is scaled
/// before it is rounded, once.
namespace tutti::kernels {

/// A fused_allreduce.
struct fused_call {
    std::uint64_t type;           ///< tutti::type_id
    std::uint64_t op;             ///< tutti::operator_id
    unsigned ranks;               ///< how many there are
    std::uint64_t call;           ///< the number that the requests must have
    std::uint64_t signature;      ///< that they must have
    std::size_t count;            ///< elements
    const std::uint64_t* failed;  ///< in memory of the device: not 0 where the group has failed
    const call_request* requests; ///< in memory of the device
    const window_table* windows;  ///< of all ranks, where this process has them mapped
    std::uint64_t* failure;       ///< a word of the host's, as the device reaches it
};

/// How ranks reduce whose kernels wait for each other.
enum class group_way : std::uint8_t {
    packets,   ///< allreduce_packets
    one_shot,  ///< allreduce_shot of everything
    two_shots, ///< allreduce_shot of this rank's part
};

/// An allreduce of a group, as far as one cooperative launch does it: of all ranks, where they share a device; else of
/// one.
struct group_call {
    std::uint64_t type = 0;                   ///< tutti::type_id
    std::uint64_t op = 0;                     ///< tutti::operator_id
    group_way way = group_way::packets;       ///< how
    std::span<const peer_group> groups;       ///< by rank
    unsigned first = 0;                       ///< the first rank whose blocks this launch has
    unsigned number = 1;                      ///< of such ranks
    packet_boxes boxes;                       ///< of all ranks
    std::uint32_t signature = 0;              ///< of the call
    std::size_t count = 0;                    ///< elements
    std::array<std::byte*, most_peers> in{};  ///< by rank
    std::array<std::byte*, most_peers> out{}; ///< by rank
};

/// A placed_allreduce of one rank.
struct placed_call {
    std::uint64_t type;          ///< tutti::type_id
    std::uint64_t op;            ///< tutti::operator_id
    const peer_group* group;     ///< of the rank
    std::uint32_t signature;     ///< of the call
    std::size_t count;           ///< elements
    bool may_be_one_shot;        ///< the vectors are short enough
    const window_table* windows; ///< of all ranks, where this process has them mapped
    window_place in;             ///< where the rank's data are
    window_place out;            ///< where its result goes
};

/// A schedule of all ranks of a group, by the device engine, by one cooperative launch.
struct scheduled_call {
    std::uint64_t type = 0;             ///< tutti::type_id
    std::uint64_t op = 0;               ///< tutti::operator_id
    std::span<const peer_group> groups; ///< by rank
    std::uint32_t signature = 0;        ///< of the call
    std::size_t count = 0;              ///< elements
    /// Of each rank, by rank: see device_call.
    /// @{
    std::array<device_page*, most_peers> pages{};
    std::array<device_counters*, most_peers> counters{};
    std::array<const device_step*, most_peers> steps{};
    std::array<const operand*, most_peers> operands{};
    std::array<std::uint32_t, most_peers> number{};
    std::array<message_counts, most_peers> messages{};
    std::array<std::array<std::byte*, device_memories>, most_peers> memory{};
    /// @}
};

namespace detail {

/// The operator of the reduction, and what takes its totals.
template <class T, class Op>
struct stages {
    using op = Op;
    using last = stored<T>;
    [[nodiscard]] static last make(unsigned) noexcept { return {}; }
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
    call.failed = c.failed;
    call.requests = c.requests;
    call.windows = *c.windows;
    call.failure = c.failure;
    call.last = stages::make(c.ranks);
    return call;
}

/// The kernel's parameter. `most` is 2, 4 or 8, and not less than the number of ranks.
template <unsigned most, element T, class Op>
[[nodiscard]] auto typed(const placed_call& c) noexcept {
    using stages = detail::stages<T, Op>;
    return placed_allreduce<most, T, typename stages::op, typename stages::last>{.group = *c.group,
                                                                                 .signature = c.signature,
                                                                                 .count = c.count,
                                                                                 .may_be_one_shot = c.may_be_one_shot,
                                                                                 .windows = *c.windows,
                                                                                 .in = c.in,
                                                                                 .out = c.out,
                                                                                 .last = stages::make(c.group->size)};
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
        auto& to = destinations_of(what.last);
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

/// What each rank does, by rank; the first groups.size() of them. Without the last stage of an average: see
/// last_stage().
template <element T, class Op>
[[nodiscard]] auto typed(const scheduled_call& c) {
    std::array<device_call<T, typename detail::stages<T, Op>::op>, most_peers> all;
    for (std::size_t r = 0; r < c.groups.size(); ++r) {
        auto& call = all[r];
        call.group = c.groups[r];
        call.counters = c.counters[r];
        call.steps = c.steps[r];
        call.operands = c.operands[r];
        call.number = c.number[r];
        call.messages = c.messages[r];
        call.signature = c.signature;
        for (std::size_t p = 0; p < c.groups.size(); ++p) {
            call.pages[p] = c.pages[p];
            for (unsigned m = 0; m < device_memories; ++m) call.memory[p][m] = reinterpret_cast<T*>(c.memory[p][m]);
        }
    }
    return all;
}
/// An average's last stage of one rank's output, in place.
template <element T, std::same_as<average_operator> Op>
[[nodiscard]] auto last_stage(const scheduled_call& c, std::size_t rank) {
    using stages = detail::stages<T, Op>;
    reduction<T, typename stages::op, typename stages::last> what;
    auto* const data = reinterpret_cast<T*>(c.memory[rank][static_cast<unsigned>(device_memory::output)]);
    what.from[0] = data;
    what.sources = 1;
    what.count = c.count;
    what.last = stages::make(static_cast<unsigned>(c.groups.size()));
    destinations_of(what.last).to[0] = data;
    return what;
}

} // namespace tutti::kernels
