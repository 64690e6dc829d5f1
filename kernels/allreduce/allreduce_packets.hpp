// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../reduce_many.hpp"
#include "meeting.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

/// Allreduce of small vectors without a meeting: each rank writes its input into a box of every other, as packets that
/// say themselves whether they have come. A packet is one 8-byte word of 32 bits of data and 32 bits of epoch, which is
/// stored whole, so it needs no flag and no fence: the LL protocol of NCCL (Z. Hu et al.: Demystifying NCCL,
/// arXiv:2507.04786, 2025).
///
/// Two halves of a box take turns, so a packet of call c + 2 overwrites one of call c. Its sender has finished call
/// c + 1, and so has the packets of that call from every rank. A rank sends them when it has read all of call c.
///
/// A word of a box is stored by its sender and loaded by the box's owner, relaxed: data and epoch are one word, and it
/// guards nothing else. The owner cleans words between two meetings, which order that with everyone's packets.
namespace tutti::kernels {

/// The boxes of a group, the same in all its calls. In each half of a box there are, from each peer, `capacity` packets
/// of data, and one for each block, which tells the call. The first call cleans them, so nothing need be zeroed.
struct packet_boxes {
    std::uint64_t* of[most_peers]{}; ///< by rank: packet_box_words() of them
    std::size_t capacity = 0;        ///< the same on all ranks
};
/// The 64-bit words of one rank's box, for so many ranks, blocks and packets.
[[nodiscard]] TUTTI_HOST_DEVICE constexpr std::size_t packet_box_words(unsigned ranks, unsigned blocks,
                                                                       std::size_t capacity) noexcept {
    return 2 * std::size_t{ranks} * (capacity + blocks);
}

namespace detail {

inline constexpr std::size_t packet_bytes = 4; // of data

/// Elements that whole packets hold: a thread takes so many at a time.
template <class T>
inline constexpr unsigned elements_a_turn = sizeof(T) < packet_bytes ? packet_bytes / sizeof(T) : 1;
template <class T>
inline constexpr unsigned packets_a_turn =
    static_cast<unsigned>((sizeof(T) * elements_a_turn<T> + packet_bytes - 1) / packet_bytes);

} // namespace detail

/// The packets that so many elements take.
template <class T>
[[nodiscard]] constexpr std::size_t packets_of(std::size_t count) noexcept {
    constexpr unsigned each = detail::elements_a_turn<T>;
    return (count + each - 1) / each * detail::packets_a_turn<T>;
}

/// Epochs of `bits` bits, counted by calls. An epoch comes again only after the box has been cleaned, so that a packet
/// of long ago is not taken for a new one. 32 bits; fewer are for tests.
template <unsigned bits>
struct packet_epochs {
    static_assert(bits >= 2 && bits <= 32);
    /// Calls from one cleaning to the next: less than there are epochs, and a divisor of 2^32, where the count wraps.
    static constexpr std::uint32_t between_cleanings = std::uint32_t{1} << (bits - 1);
    /// The boxes are cleaned in this call, counted from 0.
    [[nodiscard]] static TUTTI_HOST_DEVICE constexpr bool cleans(std::uint32_t call) noexcept {
        return call % between_cleanings == 0;
    }
    /// Not 0, the epoch of a clean packet.
    [[nodiscard]] static TUTTI_HOST_DEVICE constexpr std::uint32_t of(std::uint32_t call) noexcept {
        return 1 + call % between_cleanings;
    }
};

namespace detail {

/// One half of all boxes, as one rank sees them in one call.
template <peer_execution Here>
class packets_of_call {
public:
    TUTTI_HOST_DEVICE packets_of_call(const packet_boxes& boxes, const peer_group& group, std::uint32_t call,
                                      std::uint32_t epoch, const Here& here)
        : boxes_(boxes), group_(group), half_(call & 1U), epoch_(epoch), here_(here) {}

    TUTTI_HOST_DEVICE void send(unsigned peer, std::size_t packet, std::uint32_t data) const {
        here_.store_relaxed(at(peer, half_, group_.rank, packet), std::uint64_t{epoch_} << 32 | data);
    }
    /// False while it has not come.
    [[nodiscard]] TUTTI_HOST_DEVICE bool receive(unsigned peer, std::size_t packet, std::uint32_t& data) const {
        const std::uint64_t word = here_.load_relaxed(at(group_.rank, half_, peer, packet));
        data = static_cast<std::uint32_t>(word);
        return word >> 32 == epoch_;
    }
    /// In both halves of this rank's box.
    TUTTI_HOST_DEVICE void clean(std::size_t packet) const {
        for (unsigned half = 0; half < 2; ++half)
            for (unsigned peer = 0; peer < group_.size; ++peer)
                here_.store_relaxed(at(group_.rank, half, peer, packet), 0);
    }
    /// The packet by which this block tells the call.
    [[nodiscard]] TUTTI_HOST_DEVICE std::size_t header() const noexcept { return boxes_.capacity + here_.block(); }

private:
    [[nodiscard]] TUTTI_HOST_DEVICE std::uint64_t* at(unsigned owner, unsigned half, unsigned from,
                                                      std::size_t packet) const noexcept {
        const std::size_t before = std::size_t{half} * group_.size + from;
        return boxes_.of[owner] + before * (boxes_.capacity + group_.blocks) + packet;
    }

    const packet_boxes& boxes_;
    const peer_group& group_;
    unsigned half_;
    std::uint32_t epoch_;
    const Here& here_;
};

/// The elements that a thread sends and receives at a time, as packets.
template <class T>
struct turn_of_elements {
    static constexpr unsigned elements = elements_a_turn<T>, packets = packets_a_turn<T>;
    std::uint32_t words[packets]{};

    [[nodiscard]] static TUTTI_HOST_DEVICE constexpr std::size_t turns_of(std::size_t count) noexcept {
        return (count + elements - 1) / elements;
    }
    /// Of `count` elements those of one turn. The last turn may lack some, which stay 0.
    TUTTI_HOST_DEVICE void load(const T* from, std::size_t turn, std::size_t count) noexcept {
        TUTTI_UNROLL
        for (unsigned k = 0; k < elements; ++k)
            if (turn * elements + k < count) __builtin_memcpy(at(k), &from[turn * elements + k], sizeof(T));
    }
    [[nodiscard]] TUTTI_HOST_DEVICE T get(unsigned k) noexcept {
        T x;
        __builtin_memcpy(&x, at(k), sizeof(T));
        return x;
    }

private:
    [[nodiscard]] TUTTI_HOST_DEVICE unsigned char* at(unsigned k) noexcept {
        return reinterpret_cast<unsigned char*>(words) + k * sizeof(T);
    }
};

/// Sends this rank's input to all others, and the header to the same block of each.
template <class T, class Op, class Epilogue, peer_execution Here>
TUTTI_HOST_DEVICE void send_packets(const packets_of_call<Here>& packets, const peer_group& group,
                                    std::uint32_t signature, const reduction<T, Op, Epilogue>& what, const Here& here) {
    using turn_type = turn_of_elements<T>;
    for (unsigned peer = here.thread(); peer < group.size; peer += here.threads())
        if (peer != group.rank) packets.send(peer, packets.header(), signature);
    for (std::size_t turn = number_of(here); turn < turn_type::turns_of(what.count); turn += stride_of(here)) {
        turn_type mine;
        mine.load(what.from[0] + what.first, turn, what.count);
        for (unsigned peer = 0; peer < group.size; ++peer)
            for (unsigned w = 0; w < turn_type::packets && peer != group.rank; ++w)
                packets.send(peer, turn * turn_type::packets + w, mine.words[w]);
    }
}

/// One turn: waits for the packets of each rank, in order, and hands on the totals. False if the group fails.
template <class T, class Op, class Epilogue, peer_execution Here>
[[nodiscard]] TUTTI_HOST_DEVICE bool reduce_turn(const block_in_group<Here>& block,
                                                 const packets_of_call<Here>& packets, const peer_group& group,
                                                 const reduction<T, Op, Epilogue>& what, std::size_t turn) {
    using turn_type = turn_of_elements<T>;
    using total_type = total<T, Op>;
    const std::size_t begin = turn * turn_type::elements;
    total_type sum[turn_type::elements]{};
    for (unsigned peer = 0; peer < group.size; ++peer) {
        turn_type in;
        if (peer == group.rank) in.load(what.from[0] + what.first, turn, what.count);
        for (unsigned w = 0; w < turn_type::packets && peer != group.rank; ++w)
            if (!block.wait_for(peer,
                                [&] { return packets.receive(peer, turn * turn_type::packets + w, in.words[w]); }))
                return false;
        TUTTI_UNROLL
        for (unsigned k = 0; k < turn_type::elements; ++k) {
            if (begin + k >= what.count) break;
            const auto x = static_cast<total_type>(in.get(k));
            sum[k] = peer == 0 ? x : static_cast<total_type>(what.op(sum[k], x));
        }
    }
    for (unsigned k = 0; k < turn_type::elements && begin + k < what.count; ++k) {
        total_type one[1] = {sum[k]};
        what.last.template write<1>(one, what.first + begin + k);
    }
    return true;
}

/// Cleans this block's part of this rank's box. No packet is on its way there: all of earlier calls were received,
/// and no rank sends one of this call before all have met.
template <class T, peer_execution Here>
TUTTI_HOST_DEVICE void clean_packets(const packets_of_call<Here>& packets, std::size_t capacity, const Here& here) {
    constexpr unsigned each = packets_a_turn<T>;
    for (std::size_t turn = number_of(here); turn * each < capacity; turn += stride_of(here))
        for (std::size_t packet = turn * each; packet < (turn + 1) * each && packet < capacity; ++packet)
            packets.clean(packet);
    if (here.thread() == 0) packets.clean(packets.header());
}

} // namespace detail

/// Errors: invalid_argument, where the vector does not fit into the boxes, as of check_group, or as of access_of.
template <class T, class Op, class Epilogue>
void check_packets(const peer_group& group, const packet_boxes& boxes, const reduction<T, Op, Epilogue>& what) {
    check_group(group);
    static_cast<void>(access_of(what));
    if (what.sources != 1)
        reject("allreduce_packets", "it has " + std::to_string(what.sources) + " sources", "give this rank's input");
    if (packets_of<T>(what.count) > boxes.capacity)
        reject("allreduce_packets",
               std::to_string(what.count) + " elements take " + std::to_string(packets_of<T>(what.count)) +
                   " packets, and the boxes hold " + std::to_string(boxes.capacity),
               "use allreduce_shot for longer vectors");
    for (unsigned r = 0; r < group.size; ++r)
        if (!boxes.of[r]) reject("allreduce_packets", "there is no box of rank " + std::to_string(r), "give all boxes");
}

/// The body of one thread. The one source of `what` is this rank's input, which may be its output. Else as
/// allreduce_shot. Preconditions: check_packets(). Where another rank is in a shot of the same group, the failure may
/// be a timeout. Cost: each rank stores 2 (P - 1) N bytes in the memory of others, and reads as many from its own.
/// There are two meetings in the first call, and again after each 2^31 calls.
template <unsigned bits = 32, class T, class Op, class Epilogue, peer_execution Here>
TUTTI_HOST_DEVICE void allreduce_packets(const peer_group& group, const packet_boxes& boxes, std::uint32_t signature,
                                         const reduction<T, Op, Epilogue>& what, std::uint64_t* failed,
                                         const Here& here) {
    using epochs = packet_epochs<bits>;
    constexpr std::uint32_t kind = 0x9e3779b9; // its meetings are not those of a shot
    detail::block_in_group<Here> block(group, signature ^ kind, failed, here);
    // A peer that has failed sends nothing more, but its last packets may be here: they must not be taken.
    if (!block.none_failed()) return;
    const std::uint32_t call = block.packet_calls();
    const detail::packets_of_call<Here> packets(boxes, group, call, epochs::of(call), here);
    if (epochs::cleans(call)) {
        if (!block.meet()) return;
        detail::clean_packets<T>(packets, boxes.capacity, here);
        if (!block.meet()) return;
    }
    detail::send_packets(packets, group, signature, what, here);

    for (unsigned peer = here.thread(); peer < group.size; peer += here.threads()) {
        std::uint32_t theirs = signature;
        const auto told = [&] { return peer == group.rank || packets.receive(peer, packets.header(), theirs); };
        if (!block.wait_for(peer, told) || (theirs != signature && !block.fail(group_failure::mismatch, peer)))
            block.note_failure();
    }
    const std::size_t turns = detail::turn_of_elements<T>::turns_of(what.count);
    for (std::size_t turn = number_of(here); turn < turns; turn += stride_of(here))
        if (!detail::reduce_turn(block, packets, group, what, turn)) {
            block.note_failure();
            break;
        }
    if (!block.none_failed()) return;
    block.count_packet_call();
    block.end();
}

/// One rank's call, as a kernel's parameter.
template <class Reduction>
struct packet_call {
    peer_group group;        ///< the ranks, and how they meet
    packet_boxes boxes;      ///< of all ranks
    Reduction what;          ///< what this rank reduces, and what becomes of the totals
    std::uint32_t signature; ///< tells the call from others; the same on every rank

    /// The body of one thread. `failed` is a word of the block's own.
    template <peer_execution Here>
    TUTTI_HOST_DEVICE void operator()(std::uint64_t* failed, const Here& here) const {
        allreduce_packets(group, boxes, signature, what, failed, here);
    }
};

} // namespace tutti::kernels
