// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "serial.hpp"

#include <collectives/collectives.hpp>

#include "support/threaded_executor.hpp"
#include "support/typed_call.hpp"

#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace tutti::test {

/// A random sequence of calls, the same on all ranks for the same seed, on one rank: every result is compared with the
/// serial reference, bit by bit. So two transports that pass give the same bits.
template <class Communicator>
class sequence {
public:
    sequence(const Communicator& world, std::uint32_t seed)
        : seed_(seed), random_(seed), world_(world), twin_(world.duplicate()), part_(world.split(0)) {}

    void run(int steps) {
        for (step_ = 0; step_ < steps; ++step_) step();
    }

private:
    using call = engine::call;
    using operation = schedule::operation;
    using pending = decltype(std::declval<const Communicator&>().async().allreduce(
        std::declval<std::vector<float>&>(), sum, std::declval<const algorithm::any&>()));

    [[nodiscard]] std::uint32_t pick(std::size_t n) { return static_cast<std::uint32_t>(random_() % n); }

    void step() {
        switch (pick(14)) {
        case 0: return world_.barrier();
        case 1: return split();
        case 2:
        case 3: return overlap();
        case 4:
        case 5: return collective<double>(average);
        case 6:
        case 7: return collective<std::int32_t>(maximum);
        case 8:
        case 9: return collective<float>(premultiplied_sum(factor_of(world_.rank())));
        default: return collective<float>(sum);
        }
    }

    /// From now on some calls are those of a part of the world.
    void split() {
        const auto colors = 1 + pick(3), by = 1 + pick(2);
        const int sign = pick(2) == 0 ? 1 : -1;
        part_ = world_.split(static_cast<int>(static_cast<std::uint32_t>(world_.rank()) / by % colors),
                             sign * world_.rank());
    }

    /// What is random is drawn on all ranks, whatever part of the world they are in.
    struct draw {
        std::uint32_t who, what, how, per_node, root, count;
        bool in_place, by_library;
    };
    [[nodiscard]] draw drawn() {
        return {pick(4),     pick(schedule::operations.size()), pick(64), 1 + pick(3), pick(64), pick(64), pick(2) == 0,
                pick(6) == 0};
    }

    [[nodiscard]] static std::size_t count_of(const draw& d, int size) {
        const auto p = static_cast<std::size_t>(size);
        const std::array<std::size_t, 8> counts{0, 1, p - 1, p, p + 1, 100, 1000, 5000};
        return d.count == 63 ? 60'000 : counts[d.count % counts.size()];
    }

    [[nodiscard]] static algorithm::any algorithm_of(const draw& d, operation what) {
        std::vector<algorithm::any> offered;
        for (const auto& a : algorithm::all(static_cast<int>(d.per_node)))
            if (a.offers(what)) offered.push_back(a);
        return offered[d.how % offered.size()];
    }

    /// Of a premultiplied sum.
    [[nodiscard]] float factor_of(int world_rank) const { return static_cast<float>(world_rank + step_ % 3) / 3 - 1; }

    /// Elements whose sums round, so that another order of operands shows.
    template <class T>
    [[nodiscard]] std::vector<T> data_of(int world_rank, std::size_t count) const {
        std::minstd_rand noise(seed_ * 31 + static_cast<std::uint32_t>(step_) * 64 +
                               static_cast<std::uint32_t>(world_rank) + 1);
        std::vector<T> data(count);
        for (auto& x : data) x = static_cast<T>(static_cast<T>(noise() % 20'001) - T{10'000}) / T{7};
        return data;
    }
    template <class T>
    [[nodiscard]] static bytes bytes_of(const std::vector<T>& data) {
        const auto* first = reinterpret_cast<const std::byte*>(data.data());
        return {first, first + data.size() * sizeof(T)};
    }

    template <class T, class Op>
    void collective(const Op& op) {
        const draw d = drawn();
        const Communicator& on = d.who == 0 ? part_ : d.who == 1 ? twin_ : world_;
        const operation what = schedule::operations[d.what];
        if (is_scan(what) && has_finisher<Op, T>) return; // has no average
        const bool parts = has_shards(what);
        const auto size = static_cast<std::size_t>(on.size());
        const std::size_t count = parts ? count_of(d, on.size()) * size : count_of(d, on.size());

        call c{what, algorithm_of(d, what)};
        c.count = count;
        detail::put_types<T>(c, op);
        c.root = has_root(what) ? static_cast<int>(d.root) % on.size() : 0;
        const auto chosen = on.choice().choose(what, count * sizeof(T));
        if (d.by_library) c.how = chosen.how;
        c.segments = model::segments_for(c.how, count * sizeof(T));
        if (!schedule::reduces(what)) c.finisher = nullptr;

        std::vector<bytes> inputs;
        for (int r = 0; r < on.size(); ++r)
            inputs.push_back(operand<T, Op>(what, on.world_rank(r), gathers(what) ? count / size : count));
        const auto mine = data_of<T>(on.world_rank(on.rank()), gathers(what) ? count / size : count);
        const auto got = d.by_library ? perform(on, c, mine, d.in_place, op, detail::automatic{})
                                      : perform(on, c, mine, d.in_place, op, c.how);
        const bytes wanted = serial_run(c, on.size(), inputs).output(on.rank());
        expect(wanted.empty() || bytes_of(got) == wanted,
               "step " + std::to_string(step_) + ", " + engine::in_words(c) + (d.in_place ? ", in place" : "") +
                   ", of " + std::to_string(on.size()) + " ranks gives the bits of the serial reference");
    }

    /// What a rank puts into a reduction.
    template <class T, class Op>
    [[nodiscard]] bytes operand(operation what, int world_rank, std::size_t count) const {
        auto data = data_of<T>(world_rank, count);
        if constexpr (has_starter<Op>)
            for (auto& x : data) x *= schedule::reduces(what) ? factor_of(world_rank) : T{1};
        return bytes_of(data);
    }

    template <class T, class Op, class How>
    [[nodiscard]] static std::vector<T> perform(const Communicator& on, const call& c, const std::vector<T>& mine,
                                                bool in_place, const Op& op, const How& how) {
        std::vector<T> in(c.count), out(c.count);
        const bool is_part = in_place && (!has_root(c.what) || on.rank() == c.root) && gathers(c.what);
        const std::size_t share = c.count / static_cast<std::size_t>(on.size());
        const std::size_t begin = is_part ? share * static_cast<std::size_t>(on.rank()) : 0;
        std::copy(mine.begin(), mine.end(), in.begin() + static_cast<std::ptrdiff_t>(begin));
        const result_place at = typed_call(on, c.what, std::span(in), std::span(out), in_place, c.root, op, how);
        const T* const first = (at.in_input ? in : out).data() + at.first;
        return {first, first + at.count};
    }

    /// Several requests under way on two communicators, waited for in an order that differs between ranks.
    void overlap() {
        constexpr std::size_t most = 6;
        const auto several = 2 + pick(most - 1);
        std::array<std::vector<float>, most> data;
        std::vector<bytes> wanted;
        std::vector<pending> requests;
        for (std::uint32_t i = 0; i < several; ++i) {
            const draw d = drawn();
            const std::size_t count = count_of(d, world_.size()) * (d.root % 8 == 0 ? 20 : 1);
            const auto how = algorithm_of(d, operation::allreduce);
            call c{operation::allreduce, how, model::segments_for(how, count * sizeof(float))};
            c.count = count;
            detail::put_types<float>(c, sum);
            std::vector<bytes> inputs;
            for (int r = 0; r < world_.size(); ++r) inputs.push_back(bytes_of(data_of<float>(r, count)));
            wanted.push_back(serial_run(c, world_.size(), inputs).output(world_.rank()));
            data[i] = data_of<float>(world_.rank(), count);
            requests.push_back((d.who % 2 == 0 ? world_ : twin_).async().allreduce(data[i], sum, how));
        }
        const auto shift = static_cast<std::size_t>(world_.rank());
        for (std::size_t i = 0; i < several; ++i) requests[(several + shift - i % several) % several].wait();
        for (std::size_t i = 0; i < several; ++i)
            expect(bytes_of(data[i]) == wanted[i], "step " + std::to_string(step_) + ", overlapping call " +
                                                       std::to_string(i) + " gives the bits of the serial reference");
    }

    std::uint32_t seed_;
    std::mt19937 random_;
    Communicator world_, twin_, part_;
    int step_ = 0;
};

/// The same where every other rank has an executor.
template <class Communicator>
void run_with_executors(const Communicator& world, std::uint32_t seed, int steps) {
    threaded_executor e(seed + static_cast<std::uint32_t>(world.rank()));
    sequence(world.rank() % 2 == 0 ? world.with_executor(e) : world, seed).run(steps);
    expect((e.started() > 0) == (world.rank() % 2 == 0), "who has one uses it");
}

} // namespace tutti::test
