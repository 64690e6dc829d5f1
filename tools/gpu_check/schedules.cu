// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// Schedules by the device engine: ranks that share this device give the bits of each schedule. With an argument, little
// of it: for compute-sanitizer.
#include "engine_group.hpp"
#include "told.hpp"

#include "kernels/host_engine.hpp"

#include <collectives/algorithm/all.hpp>

#include <string>
#include <vector>

using namespace tutti;
using namespace tutti::gpu_check;
using schedule::operation;

namespace {

template <class T>
test::vectors<T> numbers(unsigned ranks, std::size_t count, unsigned seed) {
    test::vectors<T> all(ranks);
    for (unsigned r = 0; r < ranks; ++r)
        for (std::size_t i = 0; i < count; ++i)
            all[r].push_back(
                static_cast<T>(static_cast<float>((seed + r * 7919 + i * 104'729) % 2003) / 7.0F - 140.0F));
    return all;
}

/// What is wrong; empty if nothing is.
template <class T>
std::string run_one(const engine_group& group, const schedule::program& p, std::size_t count) {
    using call_type = kernels::device_call<T, sum_operator>;
    const auto ranks = static_cast<unsigned>(p.size);
    const auto plans = kernels::device_plans_of(p, count, sizeof(T));
    const auto in = numbers<T>(ranks, count, 1);
    auto expected = numbers<T>(ranks, count, 2);
    std::vector<device_array<T>> from, to, scratch;
    std::vector<kernels::plan_on_device> loaded(ranks);
    for (unsigned r = 0; r < ranks; ++r) {
        from.emplace_back(in[r]);
        to.emplace_back(expected[r]);
        scratch.emplace_back(plans[r].scratch);
        must(loaded[r].load(plans[r]), "plan_on_device");
    }
    test::interpreter<T, sum_operator>(p, count).run(in, expected);
    std::vector<call_type> calls(ranks);
    for (unsigned r = 0; r < ranks; ++r) {
        group.join(calls[r], r);
        loaded[r].set(calls[r]);
        for (unsigned q = 0; q < ranks; ++q) {
            const auto shown = [&](schedule::buffer b) { return test::first_shown(p, static_cast<int>(q), b, count); };
            calls[r].memory[q][0] = (p.in_place ? to : from)[q].data() + shown(schedule::buffer::input);
            calls[r].memory[q][1] = to[q].data() + shown(schedule::buffer::output);
            calls[r].memory[q][2] = scratch[q].data();
        }
    }
    const stream s;
    must(kernels::launch_together(std::span<const call_type>(calls), s.get()), "launch_together");
    s.finish();
    std::string wrong;
    for (unsigned r = 0; r < ranks; ++r)
        if (!test::same_bits(to[r].get(), expected[r])) wrong += "rank " + std::to_string(r) + "; ";
    return wrong;
}

void every_algorithm(bool little) {
    for (const int ranks : {1, 2, 4, 7, 8}) {
        if (little && ranks != 2) continue;
        const engine_group group(static_cast<unsigned>(ranks));
        for (const operation what : {operation::allreduce, operation::reduce_scatter, operation::allgather,
                                     operation::reduce, operation::broadcast})
            for (const algorithm::any& how : algorithm::all(ranks)) {
                if (!how.offers(what)) continue;
                std::string wrong;
                for (const int segments : {1, 3})
                    for (const std::size_t shard : {std::size_t{1}, std::size_t{1003}, std::size_t{40'001}}) {
                        if (little && shard > 2000) continue;
                        const auto p = how.write(what, ranks, ranks - 1, ranks % 2 == 0, segments);
                        const std::size_t count = shard * static_cast<std::size_t>(ranks);
                        wrong += run_one<float>(group, p, count) + run_one<bfloat16>(group, p, count);
                    }
                check(std::string(how.name()) + ", " + std::string(schedule::name_of(what)) + ", " +
                          std::to_string(ranks) + " ranks",
                      wrong.empty() && !group.failed(), wrong);
            }
    }
}

} // namespace

int main(int arguments, char**) {
    return run([&] { every_algorithm(arguments > 1); });
}
