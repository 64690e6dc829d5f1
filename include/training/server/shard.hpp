// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../update_rules.hpp"
#include "packet.hpp"
#include "placement.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace tutti::training::server::detail {

/// What a server keeps of a segment. The same updates in the same order give the same bits on each server.
template <update_rule Rule>
struct shard_data {
    std::vector<float> values;
    std::vector<float> state;  ///< Rule::states arrays, one after the other
    std::uint64_t updates = 0; ///< so many have been applied
    std::uint64_t pushes = 0;  ///< steps of the rule
    double last_rate = 0;
    std::uint64_t closed = 0; ///< bulk synchronous clocks that have ended, in this job
};

template <update_rule Rule>
class shard {
public:
    shard(Rule rule, std::size_t size, bool is_bulk)
        : rule_(rule), data_{std::vector<float>(size), std::vector<float>(Rule::states * size)},
          added_(is_bulk ? size : 0), pushed_(is_bulk ? size : 0) {}

    [[nodiscard]] const shard_data<Rule>& data() const noexcept { return data_; }
    /// Precondition: of the same size, and before any update.
    void restore(shard_data<Rule> from) { data_ = std::move(from); }

    /// Appends all of it to a packet, for another server.
    void write(packet& p) const {
        p.keys.insert(p.keys.end(), {data_.updates, data_.pushes, std::bit_cast<std::uint64_t>(data_.last_rate),
                                     data_.closed, has_pushes_, std::bit_cast<std::uint64_t>(rate_)});
        for (const auto* part : {&data_.values, &data_.state, &added_, &pushed_})
            p.values.insert(p.values.end(), part->begin(), part->end());
    }
    /// Takes what write() appended. False: that was another store's.
    [[nodiscard]] bool read_all(std::span<const std::uint64_t> facts, std::span<const float> values) {
        std::size_t all = 0;
        for (const auto* part : {&data_.values, &data_.state, &added_, &pushed_}) all += part->size();
        if (facts.size() != numbers_written || values.size() != all) return false;
        data_.updates = facts[0];
        data_.pushes = facts[1];
        data_.last_rate = std::bit_cast<double>(facts[2]);
        data_.closed = facts[3];
        has_pushes_ = facts[4] != 0;
        rate_ = std::bit_cast<double>(facts[5]);
        for (auto* part : {&data_.values, &data_.state, &added_, &pushed_}) {
            std::copy_n(values.begin(), part->size(), part->begin());
            values = values.subspan(part->size());
        }
        return true;
    }
    static constexpr std::size_t numbers_written = 6;
    /// The most keys or values in a packet with all of a segment.
    [[nodiscard]] static std::uint64_t most_written(const placement& where) noexcept {
        return where.keys_of(0).count * (Rule::states + 3) + where.layout().workers.size() + numbers_written;
    }

    void apply(const packet& p) {
        ++data_.updates;
        if (p.head.what == action::close) return close();
        const bool is_bulk = !pushed_.empty(), adds = p.head.what == action::add;
        each_run(p, [&](std::size_t first, std::span<const float> values) {
            const auto own = std::span(data_.values).subspan(first, values.size());
            if (p.head.what == action::put) return assign(own, values);
            if (is_bulk) return sum(std::span(adds ? added_ : pushed_).subspan(first, values.size()), values);
            adds ? sum(own, values) : update(first, values, p.head.rate);
        });
        if (p.head.what != action::push) return;
        rate_ = p.head.rate;
        is_bulk ? void(has_pushes_ = true) : end_push();
    }

    /// Those that a get asks for.
    [[nodiscard]] std::vector<float> read(const packet& p) const {
        const auto begin = data_.values.begin() + static_cast<std::ptrdiff_t>(p.head.first);
        if (p.keys.empty()) return {begin, begin + static_cast<std::ptrdiff_t>(p.head.count)};
        std::vector<float> all;
        all.reserve(p.keys.size());
        for (const std::uint64_t k : p.keys) all.push_back(data_.values[k]);
        return all;
    }

private:
    static void assign(std::span<float> to, std::span<const float> from) noexcept {
        for (std::size_t i = 0; i < to.size(); ++i) to[i] = from[i];
    }
    static void sum(std::span<float> to, std::span<const float> terms) noexcept {
        for (std::size_t i = 0; i < to.size(); ++i) to[i] += terms[i];
    }

    /// Calls f(first, values) for each run of consecutive keys.
    template <class F>
    static void each_run(const packet& p, const F& f) {
        const std::span<const float> values(p.values);
        if (p.keys.empty()) return f(p.head.first, values);
        for (std::size_t i = 0, end = 0; i < p.keys.size(); i = end) {
            end = i + 1;
            while (end < p.keys.size() && p.keys[end] == p.keys[end - 1] + 1) ++end;
            f(p.keys[i], values.subspan(i, end - i));
        }
    }
    void update(std::size_t first, std::span<const float> gradients, double rate) {
        update_range x{std::span(data_.values).subspan(first, gradients.size()), gradients};
        for (std::size_t s = 0; s < Rule::states; ++s)
            x.state[s] = std::span(data_.state).subspan(s * data_.values.size() + first, gradients.size());
        rule_.update({data_.pushes + 1, rate, data_.last_rate}, x);
    }
    void end_push() noexcept {
        ++data_.pushes;
        data_.last_rate = rate_;
    }
    /// A clock ends: all that came in it counts from now on.
    void close() {
        sum(data_.values, added_);
        added_.assign(added_.size(), 0);
        if (std::exchange(has_pushes_, false)) {
            update(0, pushed_, rate_);
            end_push();
            pushed_.assign(pushed_.size(), 0);
        }
        ++data_.closed;
    }

    Rule rule_;
    shard_data<Rule> data_;
    std::vector<float> added_, pushed_; ///< in the clock that has not ended; empty unless bulk synchronous
    bool has_pushes_ = false;
    double rate_ = 0;
};

} // namespace tutti::training::server::detail
