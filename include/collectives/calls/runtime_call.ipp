// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../runtime_call.hpp"

#include "../../base/error.hpp"
#include "../reduction/operators.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <mutex>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace tutti::detail {

template <class Visitor>
void visit_operator(operator_type o, const Visitor& visitor) {
    switch (o) {
    case operator_type::sum: return visitor(sum);
    case operator_type::product: return visitor(product);
    case operator_type::minimum: return visitor(minimum);
    case operator_type::maximum: return visitor(maximum);
    case operator_type::average: return visitor(average);
    case operator_type::bitwise_and: return visitor(bitwise_and);
    case operator_type::bitwise_or: return visitor(bitwise_or);
    case operator_type::bitwise_xor: return visitor(bitwise_xor);
    case operator_type::logical_and: return visitor(logical_and);
    case operator_type::logical_or: return visitor(logical_or);
    case operator_type::logical_xor: return visitor(logical_xor);
    case operator_type::premultiplied_sum: return; // it has a factor
    }
}

/// A copy of a name that lasts, for static objects as well. Threads of a program may ask at once.
[[nodiscard]] TUTTI_INLINE const std::string& kept_name(std::string_view name) {
    static auto& asks = *new std::mutex;
    static auto& names = *new std::set<std::string, std::less<>>;
    const std::lock_guard lock(asks);
    const auto found = names.find(name);
    return found != names.end() ? *found : *names.emplace(name).first;
}
/// An element type as calls and messages have it.
struct described_type {
    std::size_t bytes;
    std::uint64_t id;
    type_words words;
};
/// Throws invalid_argument.
[[nodiscard]] TUTTI_INLINE described_type described_type_of(std::string_view call, element_type t,
                                                            const std::optional<opaque_type>& opaque) {
    if (!opaque)
        return visit_type(t, []<class T>(std::type_identity<T>) {
            return described_type{sizeof(T), type_id<T>(), words_of<T>()};
        });
    if (opaque->bytes == 0) reject(std::string(call), "its opaque elements have no bytes");
    constexpr std::size_t kind = 64; // none of element_kind
    return {
        opaque->bytes,
        hash(opaque->name, hash(opaque->bytes, hash(kind, hash_start))),
        {[](const void* name) { return *static_cast<const std::string*>(name); },
         &kept_name(opaque->name.empty() ? "opaque of " + bytes_in_words(opaque->bytes) : std::string(opaque->name))}};
}

TUTTI_INLINE void describe_message(message_arguments& a, const runtime_range& from) {
    const auto t =
        described_type_of(a.way == engine::message::direction::send ? "send" : "receive", from.type, from.opaque);
    a.data = {static_cast<std::byte*>(from.data), from.count, from.opaque ? 1 : t.bytes};
    a.element_bytes = t.bytes;
    a.type = t.id;
    a.type_name = t.words;
}

TUTTI_INLINE void put_runtime_types(engine::call& c, const runtime_call& from, const described_type& t) {
    if (!schedule::reduces(c.what)) {
        c.element_bytes = t.bytes;
        c.type = t.id;
        c.type_name = t.words;
        if (from.opaque) // which the engine counts in bytes
            c.type_name.say = [](const void* name) { return "bytes of " + *static_cast<const std::string*>(name); };
        return;
    }
    visit_type(from.type, [&]<class T>(std::type_identity<T>) {
        if (from.op == operator_type::premultiplied_sum)
            return put_types<T>(c, premultiplied_sum(load<wide<T>>(static_cast<const std::byte*>(from.factor))));
        visit_operator(from.op, [&]<class Op>(const Op& built_in) {
            if constexpr (operator_on<Op, T>) put_types<T>(c, built_in);
        });
    });
}

/// The parts of a buffer, which is as long as they reach.
struct runtime_parts {
    buffer_parts parts;
    raw_range buffer;
};
/// What a call says of them, and of its elements.
struct said_of_parts {
    const void* begin;
    std::size_t width;
    std::span<const std::size_t> counts{}, displacements{};
    std::span<const void* const> places{};
};

/// The buffer begins with the lowest part. Throws invalid_argument.
TUTTI_INLINE void put_places(runtime_parts& p, std::string_view call, const said_of_parts& said) {
    const std::size_t parts = said.counts.size();
    if (!said.displacements.empty())
        reject(std::string(call), "its parts have displacements and places", "give one of them");
    if (said.places.size() != parts)
        reject(std::string(call),
               std::to_string(said.places.size()) + " places are given, for " + std::to_string(parts) + " counts");
    const auto refuse = [&](std::size_t r, const std::string& why) {
        reject(std::string(call), "the part of rank " + std::to_string(r) + why);
    };
    const auto address = [&](std::size_t r) { return reinterpret_cast<std::uintptr_t>(said.places[r]); };
    std::size_t first = parts;
    for (std::size_t r = 0; r < parts; ++r) {
        if (said.counts[r] == 0) continue;
        if (!said.places[r]) refuse(r, " is null");
        if (first == parts || address(r) < address(first)) first = r;
    }
    p.buffer.data = first == parts ? nullptr : static_cast<std::byte*>(const_cast<void*>(said.places[first]));
    auto& to = p.parts.displacements.emplace(parts, 0);
    for (std::size_t r = 0; r < parts; ++r) {
        if (said.counts[r] == 0) continue;
        const std::size_t behind = address(r) - address(first);
        if (behind % said.width != 0)
            refuse(r, " does not lie a whole number of elements behind that of rank " + std::to_string(first));
        to[r] = behind / said.width;
    }
}

[[nodiscard]] TUTTI_INLINE runtime_parts runtime_parts_of(std::string_view call, const said_of_parts& said) {
    runtime_parts p{{{said.counts.begin(), said.counts.end()}, {}},
                    {static_cast<std::byte*>(const_cast<void*>(said.begin)), 0, said.width}};
    if (!said.places.empty())
        put_places(p, call, said);
    else if (!said.displacements.empty())
        p.parts.displacements.emplace(said.displacements.begin(), said.displacements.end());
    else
        p.buffer.count = std::accumulate(said.counts.begin(), said.counts.end(), std::size_t{0});
    if (!p.parts.displacements) return p;
    const auto& behind = *p.parts.displacements;
    for (std::size_t r = 0; r < std::min(said.counts.size(), behind.size()); ++r) {
        const std::size_t left = std::numeric_limits<std::size_t>::max() - behind[r], n = said.counts[r];
        if (n > 0) p.buffer.count = std::max(p.buffer.count, behind[r] + std::min(n, left));
    }
    return p;
}

/// So many of each. Throws invalid_argument where memory has not so many.
[[nodiscard]] TUTTI_INLINE std::size_t times(const std::string& call, std::size_t n, std::size_t each) {
    if (n > std::numeric_limits<std::size_t>::max() / each)
        reject(call, std::to_string(n) + " elements are more than memory can hold");
    return n * each;
}
[[nodiscard]] TUTTI_INLINE std::vector<std::size_t> times(const std::string& call, std::span<const std::size_t> all,
                                                          std::size_t each) {
    std::vector<std::size_t> made;
    for (const std::size_t n : all) made.push_back(times(call, n, each));
    return made;
}

/// A call of parts of unequal length, without its types. `each`: opaque elements count as so many bytes, which may lie
/// anywhere.
[[nodiscard]] TUTTI_INLINE engine::call uneven_call_of(const runtime_call& c, std::size_t width, std::size_t each,
                                                       const schedule::position& self, const model::chooser& by) {
    const std::string name{name_of(c.what)};
    if (!schedule::has_shards(c.what)) reject(name, "it has no parts for ranks", "give no counts");
    const bool exchanges = c.what == schedule::operation::alltoall, collects = gathers(c.what);
    const std::string title = name + "v";
    const auto counts = times(title, c.counts->of_ranks, each);
    const auto displacements = times(title, c.counts->displacements, each);
    const auto received_counts = times(title, c.counts->received, each);
    const auto received_displacements = times(title, c.counts->received_displacements, each);
    said_of_parts of_whole{collects ? c.output : c.input, width}, of_received{c.output, width};
    if (!has_root(c.what) || self.rank == self.root) {
        of_whole.counts = counts;
        of_whole.displacements = displacements;
        of_whole.places = c.counts->parts;
    }
    if (exchanges) {
        of_received.counts = received_counts;
        of_received.displacements = received_displacements;
        of_received.places = c.counts->received_parts;
    }
    const runtime_parts of_ranks = runtime_parts_of(title, of_whole);
    runtime_parts received = runtime_parts_of(title, of_received);
    if (!exchanges)
        received.buffer = {static_cast<std::byte*>(collects ? const_cast<void*>(c.input) : c.output),
                           times(title, c.count, each), width};
    const raw_range& in = collects ? received.buffer : of_ranks.buffer;
    const raw_range& out = collects ? of_ranks.buffer : received.buffer;
    uneven_placement at = placed_uneven(c.what, in, out, {of_ranks.parts, received.parts}, width, self);
    const bool known = all_know_lengths(c.what);
    const model::selection s =
        known || c.how ? selected(c.what, c.how ? &*c.how : nullptr, known ? at.count * width : 0, by, true, false)
                       : local_choice(c.what);
    engine::call result = call_of(c.what, s, at, self.root, false);
    result.lengths = std::move(at.lengths);
    return result;
}

/// A call of equal parts, without its types.
[[nodiscard]] TUTTI_INLINE engine::call even_call_of(const runtime_call& c, std::size_t width, std::size_t each,
                                                     const schedule::position& self, const model::chooser& by) {
    const std::size_t parts = schedule::has_shards(c.what) ? static_cast<std::size_t>(self.size) : 1;
    if (c.count > std::numeric_limits<std::size_t>::max() / parts / width / each)
        reject(std::string(name_of(c.what)),
               std::to_string(c.count) + " elements of each rank are more than memory can hold");

    const bool spreads = c.what == schedule::operation::broadcast;
    const bool exchanges = c.what == schedule::operation::alltoall;
    const std::size_t of_output = gathers(c.what) || exchanges ? parts : 1, of_input = gathers(c.what) ? 1 : parts;
    const raw_range out{static_cast<std::byte*>(c.output), c.count * each * of_output, width};
    const raw_range in{static_cast<std::byte*>(const_cast<void*>(c.input)), c.count * each * of_input, width};
    const placement at = placed(c.what, spreads ? out : in, out, width, self);
    const bool symmetric = reads_in_place(
        c.what,
        c.symmetric && (c.what == schedule::operation::reduce_scatter || c.what == schedule::operation::allreduce),
        c.op == operator_type::premultiplied_sum);
    const model::selection s = selected(c.what, c.how ? &*c.how : nullptr, at.count * width, by, true, symmetric);
    return call_of(c.what, s, at, self.root, symmetric && !c.how);
}

TUTTI_INLINE engine::call engine_call_of(const runtime_call& c, int rank, int size, const model::chooser& by) {
    const std::string name{name_of(c.what)};
    const bool reduces_them = schedule::reduces(c.what);
    if (reduces_them && c.opaque) reject(name, "it reduces, and opaque elements only move");
    if (reduces_them && !reduces(c.op, c.type))
        reject(name, std::string(name_of(c.op)) + " does not reduce " + std::string(name_of(c.type)));
    if (schedule::is_scan(c.what) && c.op == operator_type::average)
        reject(name, "ranks have different numbers of operands, so that there is no average", "take sum");
    if (reduces_them && c.op == operator_type::premultiplied_sum && !c.factor)
        reject(name, "it is a premultiplied sum without a factor", "point to one");
    described_type t = described_type_of(name, c.type, c.opaque);
    const std::size_t each = c.opaque ? std::exchange(t.bytes, 1) : 1;
    const schedule::position self{rank, size, has_root(c.what) ? c.root : 0};
    engine::call result =
        c.counts ? uneven_call_of(c, t.bytes, each, self, by) : even_call_of(c, t.bytes, each, self, by);
    put_runtime_types(result, c, t);
    return result;
}

} // namespace tutti::detail
