// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "fake_cuda_streams.hpp"

#include "kernels/reduce/host_execution.hpp"
#include "kernels/stream_communicator.hpp"

#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace tutti::test {

/// The kernels of stream-ordered calls: their bodies, on threads of the host that stand for blocks of two threads.
class fake_stream_kernels {
    using streams = fake_cuda_streams;

public:
    static bool has(std::uint64_t type, std::uint64_t op) noexcept {
        return with(type, op, [](auto) {});
    }
    static unsigned blocks(unsigned) noexcept { return 2; }
    static void load(unsigned) noexcept {}
    /// Launches of processes that this one can make before one fails; negative: any number.
    [[nodiscard]] static std::atomic<int>& launches_until_failure() noexcept {
        static std::atomic<int> number{-1};
        return number;
    }

    static void fused(const kernels::fused_call& c, fake_cuda::stream* in) {
        count_launch();
        const auto windows = reached(*c.windows);
        kernels::fused_call there = c;
        there.windows = &windows;
        there.requests = reached(c.requests);
        there.failed = reached(c.failed);
        with(c.type, c.op, [&](auto types) {
            in->put([call = kernels::typed<typename decltype(types)::element, typename decltype(types)::op>(there)] {
                kernels::run_on_host({2, 2}, [&](const kernels::host_execution& here) {
                    call.ranks <= 2 ? call.template run<2>(here) : call.template run<kernels::most_peers>(here);
                });
            });
        });
    }

    static void together(const kernels::group_call& c, fake_cuda::stream* in) {
        const auto groups = reached_groups(c.groups);
        kernels::group_call there = c;
        for (std::size_t r = 0; r < groups.size(); ++r) {
            if (c.in[r]) there.in[r] = streams::reach(c.in[r], c.count == 0 ? 0 : 1);
            if (c.out[r]) there.out[r] = streams::reach(c.out[r], c.count == 0 ? 0 : 1);
            there.boxes.of[r] = reached(c.boxes.of[r]);
        }
        with(c.type, c.op, [&](auto types) {
            in->put([there, groups,
                     what = kernels::typed<typename decltype(types)::element, typename decltype(types)::op>(there)] {
                run(there, groups, what);
            });
        });
    }

    static void placed(const kernels::placed_call& c, fake_cuda::stream* in) {
        count_launch();
        const auto windows = reached(*c.windows);
        const auto group = reached_groups({c.group, 1});
        kernels::placed_call there = c;
        there.windows = &windows;
        there.group = group.data();
        with(c.type, c.op, [&](auto types) {
            using element = typename decltype(types)::element;
            using op = typename decltype(types)::op;
            in->put([call = kernels::typed<kernels::most_peers, element, op>(there)] {
                std::vector<std::uint64_t> failed(call.group.blocks);
                kernels::run_ranks_on_host(
                    1, {call.group.blocks, 2},
                    [&](unsigned, const kernels::host_execution& here) { call(&failed[here.block()], here); });
            });
        });
    }

    static void scheduled(const kernels::scheduled_call& c, fake_cuda::stream* in) {
        auto groups = reached_groups(c.groups);
        kernels::scheduled_call there = c;
        there.groups = groups;
        for (std::size_t r = 0; r < groups.size(); ++r) {
            there.pages[r] = reached(c.pages[r]);
            there.counters[r] = reached(c.counters[r]);
            there.steps[r] = reached(c.steps[r]);
            there.operands[r] = reached(c.operands[r]);
            for (std::byte*& m : there.memory[r]) m = streams::reach(m, 0);
        }
        with(c.type, c.op, [&](auto types) {
            using element = typename decltype(types)::element;
            using op = typename decltype(types)::op;
            in->put([calls = kernels::typed<element, op>(there), last = last_stages<element, op>(there),
                     size = groups.size()] {
                std::vector<std::uint64_t> failed(size * blocks(1));
                kernels::run_ranks_on_host(static_cast<unsigned>(size), {blocks(1), 2},
                                           [&](unsigned r, const kernels::host_execution& here) {
                                               calls[r](&failed[r * blocks(1) + here.block()], here);
                                           });
                for (const auto& what : last)
                    kernels::run_on_host({1, 2}, [&](const kernels::host_execution& here) {
                        kernels::reduce_many<1, 2>(what, {}, here);
                    });
            });
        });
    }

    /// The kernels of calls that the host makes: none is needed in these tests.
    static bool reduce(std::uint64_t, std::uint64_t, std::span<const std::byte* const>, std::byte*, std::size_t,
                       fake_cuda::stream&) {
        return false;
    }
    static bool finish(std::uint64_t, std::uint64_t, std::byte*, std::size_t, int, fake_cuda::stream&) { return false; }

private:
    static void count_launch() {
        if (launches_until_failure()-- == 0) throw std::runtime_error("a kernel cannot be launched");
    }

    template <class T, class Op>
    struct types_of {
        using element = T;
        using op = Op;
    };

    template <class Use>
    static bool with(std::uint64_t type, std::uint64_t op, const Use& use) {
        return is<float, sum_operator>(type, op, use) || is<float, average_operator>(type, op, use) ||
               is<std::int32_t, maximum_operator>(type, op, use);
    }
    template <class T, class Op, class Use>
    static bool is(std::uint64_t type, std::uint64_t op, const Use& use) {
        if (type != type_id<T>() || op != operator_id<Op>()) return false;
        use(types_of<T, Op>{});
        return true;
    }
    template <class T, class Op>
    static auto last_stages(const kernels::scheduled_call& c) {
        if constexpr (std::same_as<Op, average_operator>) {
            std::vector<decltype(kernels::last_stage<T, Op>(c, 0))> all;
            for (std::size_t r = 0; r < c.groups.size(); ++r) all.push_back(kernels::last_stage<T, Op>(c, r));
            return all;
        } else {
            return std::vector<kernels::reduction<T, Op, kernels::stored<T>>>();
        }
    }
    static kernels::window_table reached(kernels::window_table windows) {
        for (auto& of_rank : windows.start)
            for (std::byte*& w : of_rank)
                if (w) w = streams::reach(w, 1);
        return windows;
    }
    static std::vector<kernels::peer_group> reached_groups(std::span<const kernels::peer_group> of) {
        std::vector<kernels::peer_group> groups(of.begin(), of.end());
        for (auto& g : groups) {
            for (unsigned p = 0; p < g.size; ++p) g.pages[p] = reached(g.pages[p]);
            g.counters = reached(g.counters);
        }
        return groups;
    }
    template <class T>
    static T* reached(T* p) {
        return reinterpret_cast<T*>(streams::reach(reinterpret_cast<const std::byte*>(p), sizeof(T)));
    }

    template <class What>
    static void run(const kernels::group_call& c, const std::vector<kernels::peer_group>& groups, const What& what) {
        using namespace kernels;
        const unsigned blocks = groups[0].blocks;
        std::vector<std::uint64_t> failed(groups.size() * blocks);
        run_ranks_on_host(c.number, {blocks, 2}, [&](unsigned k, const host_execution& here) {
            const unsigned r = c.first + k;
            std::uint64_t* const word = &failed[r * blocks + here.block()];
            if (c.way == group_way::packets)
                allreduce_packets(groups[r], c.boxes, c.signature, what[r], word, here);
            else
                allreduce_shot<1, most_peers>(groups[r], c.signature, what[r], {}, word, here);
        });
    }
};

} // namespace tutti::test
