// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../collective.hpp"
#include "form.hpp"
#include "wire.hpp"

#include <algorithm>
#include <cstddef>

namespace tutti::model {

/// What an algorithm's closed_form() is written with: the call, how its data are cut, and what a model charges for a
/// message (wire.hpp).
template <class Model>
class costs : public detail::wire<Model> {
public:
    /// What the model charges for a message.
    using wire_type = detail::wire<Model>;

    /// Of one call, under these parameters.
    costs(const collective& c, const Model& parameters)
        : wire_type(parameters, c.segments), what(c.what), size(c.size), root(c.root), segments(c.segments),
          bytes_(c.bytes), element_bytes_(c.element_bytes), segment_(parameters, 1) {}

    /// Operation, ranks, root and segments of the call.
    /// @{
    const schedule::operation what;
    const int size, root, segments;
    /// @}

    /// The bytes of the whole vector.
    [[nodiscard]] double whole() const noexcept { return static_cast<double>(bytes_); }
    /// The bytes of the first `k` of `parts`, which are cut between elements, the first ones longer: no other `k` in a
    /// row have more.
    [[nodiscard]] double first(int k, int parts) const noexcept {
        const std::size_t n = elements(), p = static_cast<std::size_t>(parts), some = static_cast<std::size_t>(k);
        return static_cast<double>((some * (n / p) + std::min(some, n % p)) * element_bytes_);
    }
    /// The bytes of the longest shard.
    [[nodiscard]] double shard() const noexcept { return first(1, size); }
    /// The bytes that one rank contributes or gets: the mean shard where the operation has shards, else the whole
    /// vector.
    [[nodiscard]] double contribution() const noexcept { return schedule::has_shards(what) ? whole() / size : whole(); }
    /// The time to reduce so many bytes; 0 where the operation does not reduce.
    [[nodiscard]] double reduction(double bytes) const noexcept {
        return schedule::reduces(what) ? this->reduce(bytes) : 0;
    }
    /// All parts are of one length.
    [[nodiscard]] bool divides(int parts) const noexcept { return elements() % static_cast<std::size_t>(parts) == 0; }
    /// For messages that are one segment each.
    [[nodiscard]] const wire_type& of_one_segment() const noexcept { return segment_; }

    /// A closed form: so many seconds, which the schedule takes exactly or about.
    [[nodiscard]] static form time(double seconds, bool exact = true) noexcept { return {seconds, exact}; }
    /// The time of the first phase, which reduces or gathers; of the second, which distributes or exchanges; or, for an
    /// allreduce, of both.
    [[nodiscard]] form phases(const auto& reduce, const auto& distribute) const {
        using schedule::operation;
        switch (what) {
        case operation::reduce_scatter:
        case operation::reduce:
        case operation::gather: return reduce();
        case operation::allgather:
        case operation::broadcast:
        case operation::scatter:
        case operation::alltoall: return distribute();
        default: break;
        }
        return reduce() + distribute();
    }
    /// No rank that has received the last message of the first phase waits to send the first one of the second.
    [[nodiscard]] bool turns_at_once() const noexcept { return !both_phases() || this->answers_at_once(); }
    /// How long the first phase holds up the second one, where messages are of so many bytes.
    [[nodiscard]] double hold_between_phases(double bytes) const noexcept {
        return both_phases() ? this->hold(bytes, this->reduce(bytes)) : 0;
    }
    /// Everyone sends `bytes` to everyone, and works `each_s` on what arrives before the next is received. What is
    /// slower, sending or receiving, sets the pace. Exact where a processor has sent everything when the first message
    /// arrives; else it alternates between the two.
    [[nodiscard]] form exchange(double bytes, double each_s) const noexcept {
        const bool hidden = this->hides((size - 2) * this->send(bytes));
        const double taken = this->take(bytes, each_s) + (hidden ? 0 : this->busy(bytes));
        return time(this->message(bytes) + each_s + (size - 2) * std::max(this->send(bytes), taken),
                    hidden && this->plain());
    }

private:
    [[nodiscard]] bool both_phases() const noexcept { return what == schedule::operation::allreduce; }
    [[nodiscard]] std::size_t elements() const noexcept { return bytes_ / element_bytes_; }

    std::size_t bytes_, element_bytes_;
    wire_type segment_;
};

} // namespace tutti::model
