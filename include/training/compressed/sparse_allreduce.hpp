// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/error.hpp"
#include "../../collectives/algorithm/any.hpp"
#include "../../collectives/algorithm/butterfly.hpp"
#include "../../collectives/communicator.hpp"
#include "../../collectives/schedule/layout.hpp"
#include "stream.hpp"
#include "traffic.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tutti::training::compressed {

/// How sparse vectors travel. The same on all ranks.
struct sparse_options {
    /// Whose steps are taken. `butterfly` is recursive doubling, with the extra ranks folded in. `direct` is the split
    /// allgather: each part goes to its owner, who sums and hands the sum to all. Others are as good as they are for
    /// dense data. One of your own must be proven with schedule::proof::in_order.
    algorithm::any how = algorithm::butterfly{};
    int tag = 0; ///< of the messages
};

namespace detail {

/// Takes a rank's steps, in their order, on streams: the length of each travels with it. Sends go on beside later
/// steps.
template <class Communicator>
class stream_walk {
public:
    stream_walk(const Communicator& ranks, int tag, schedule::layout cut) : ranks_(ranks), tag_(tag), cut_(cut) {}

    [[nodiscard]] stream& at(schedule::buffer where, int chunk) { return held_[{where, chunk}]; }
    [[nodiscard]] const traffic& sent() const noexcept { return sent_; }
    [[nodiscard]] std::size_t first(int chunk) const { return cut_.bound(chunk); }
    [[nodiscard]] std::size_t length(int chunk) const { return cut_.bound(chunk + 1) - cut_.bound(chunk); }

    void take(const std::vector<schedule::step>& steps) {
        for (std::size_t i = 0; i < steps.size();) {
            const auto message = std::span(steps).subspan(i, schedule::parts_from(steps, i));
            if (schedule::sends(message.front()))
                send(message);
            else if (schedule::receives(message.front()))
                receive(message);
            else
                compute(message.front());
            i += message.size();
        }
        for (auto& r : requests_) r.wait();
    }

private:
    using words = std::vector<std::uint32_t>;
    using request = decltype(std::declval<const Communicator&>().async().send(std::declval<words&>(), 0, 0));

    /// A message has, for each chunk, the number of its words and these words.
    void send(std::span<const schedule::step> parts) {
        words& message = outgoing_.emplace_back();
        for (const auto& s : parts)
            for (int c = s.from.first; c < s.from.first + s.from.count; ++c) {
                const stream& x = at(s.from.where, c);
                message.push_back(static_cast<std::uint32_t>(x.words()));
                x.append_to(message);
            }
        sent_ += {1, message.size() * sizeof(std::uint32_t)};
        requests_.push_back(ranks_.async().send(message, parts.front().peer, tag_));
    }
    void receive(std::span<const schedule::step> parts) {
        const words message = ranks_.template receive<std::uint32_t>(parts.front().peer, tag_);
        std::span<const std::uint32_t> left(message);
        for (const auto& s : parts)
            for (int k = 0; k < s.to.count; ++k) {
                const int c = s.to.first + k;
                if (left.empty() || left.front() >= left.size()) refuse_words(left.size(), length(c));
                const stream come(left.subspan(1, left.front()), first(c), length(c));
                left = left.subspan(1 + come.words());
                at(s.to.where, c) = s.what == schedule::action::receive ? come : ordered(s, c, come);
            }
        if (!left.empty()) refuse_words(left.size(), 0);
    }
    void compute(const schedule::step& s) {
        for (int k = 0; k < s.to.count; ++k) {
            const int c = s.to.first + k;
            stream result = at(s.from.where, c);
            if (s.what == schedule::action::reduce)
                result = s.other == schedule::side::left ? result + at(s.to.where, c) : at(s.to.where, c) + result;
            for (int m = 1; m < schedule::sources(s); ++m) result = result + at(schedule::source(s, m).where, c);
            at(s.to.where, c) = std::move(result);
        }
    }
    [[nodiscard]] stream ordered(const schedule::step& s, int c, const stream& come) {
        const stream& own = at(s.from.where, c);
        return s.other == schedule::side::left ? come + own : own + come;
    }

    const Communicator& ranks_;
    const int tag_;
    const schedule::layout cut_;
    std::map<std::pair<schedule::buffer, int>, stream> held_; ///< by buffer and chunk
    traffic sent_;
    std::deque<words> outgoing_;    ///< its elements stay where they are
    std::vector<request> requests_; ///< last: over before their data go
};

} // namespace detail

/// Sums sparse vectors over all ranks. `total` becomes the whole sum, the same bits on all ranks. It interprets the
/// steps of an allreduce, which verify proves for any lengths. A chunk travels as a stream: what is sent depends on the
/// data, and is never more than the dense chunk and one word.
///
/// Preconditions on all ranks: equal dimensions and options; the same order of calls. Messages with the tag belong to
/// the call. Ranks may give different indices, and different numbers of them.
/// Shapes: `total` has `dimension` elements. Errors: as of send() and receive(); cause::mismatch where dimensions
/// differ so that messages do not fit; invalid_argument for a vector that is none, or an algorithm without an
/// allreduce.
/// Cost: the messages of the algorithm. Let each rank have k elements, and no index be common. Recursive doubling then
/// sends 2 k (P-1) words. The split allgather sends 2 k (P-1)/P and then 2 k (P-1). Each is bounded by its dense form.
/// Memory: what is sent, until the end of the call.
/// Source: SparCML, Renggli et al. 2019: SSAR_Recursive_double, SSAR_Split_allgather, and DSAR where streams are dense.
template <class Communicator>
traffic sparse_allreduce(const Communicator& ranks, const sparse_vector& mine, std::span<float> total,
                         const sparse_options& by = {}) {
    mine.examine();
    if (total.size() != mine.dimension)
        reject("sparse_allreduce",
               std::to_string(total.size()) + " elements for a sum of dimension " + std::to_string(mine.dimension));
    constexpr auto what = schedule::operation::allreduce;
    if (!by.how.offers(what)) reject("sparse_allreduce", std::string(by.how.name()) + " has no allreduce");
    by.how.require_usable(what, ranks.size());
    const int chunks = by.how.chunks(what, ranks.size());
    std::vector<schedule::step> steps;
    by.how.walk(what, {ranks.rank(), ranks.size()}, 1, steps);

    detail::stream_walk<Communicator> walk(ranks, by.tag, schedule::layout(mine.dimension, chunks));
    for (int c = 0; c < chunks; ++c) walk.at(schedule::buffer::input, c) = stream(mine, walk.first(c), walk.length(c));
    walk.take(steps);
    for (int c = 0; c < chunks; ++c) walk.at(schedule::buffer::output, c).put(total);
    return walk.sent();
}

} // namespace tutti::training::compressed
