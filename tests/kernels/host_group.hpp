// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "host_launch.hpp"
#include "kernels/allreduce/allreduce_packets.hpp"
#include "kernels/allreduce/allreduce_shots.hpp"
#include "kernels/reduce/host_execution.hpp"

#include <barrier>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <list>
#include <type_traits>
#include <vector>

namespace tutti::test {

/// A group of ranks whose kernels run on threads of the host, with all that they share.
template <class Here = kernels::host_execution>
class host_group {
public:
    /// The bodies run on a `Here` that is made of a thread of the host.
    host_group(unsigned ranks, kernels::geometry shape, std::size_t packet_capacity = 0,
               std::chrono::nanoseconds patience = std::chrono::seconds(30))
        : shape_(shape), pages_(ranks), counters_(ranks, std::vector<kernels::block_counters>(shape.blocks)),
          reports_(ranks), failed_(std::size_t{ranks} * shape.blocks),
          // What lay in the boxes before may be anything: here, packets of the first epoch.
          boxes_(ranks, std::vector<std::uint64_t>(kernels::packet_box_words(ranks, shape.blocks, packet_capacity),
                                                   std::uint64_t{1} << 32)) {
        boxes.capacity = packet_capacity;
        for (unsigned r = 0; r < ranks; ++r) boxes.of[r] = boxes_[r].data();
        for (unsigned r = 0; r < ranks; ++r) {
            kernels::peer_group g{.rank = r, .size = ranks, .blocks = shape.blocks};
            for (unsigned p = 0; p < ranks; ++p) g.pages[p] = &pages_[p];
            g.counters = counters_[r].data();
            g.report = &reports_[r];
            g.timeout_ns = static_cast<std::uint64_t>(patience.count());
            groups.push_back(g);
        }
    }

    /// Every rank does what `what_of(rank)` says, all at once, but those for whom `comes(rank)` is false.
    void shot_with(const auto& signature_of, const auto& what_of, const auto& comes) {
        launch(comes, [&](unsigned rank, const Here& here, std::uint64_t* failed) {
            run_shot(rank, signature_of(rank), what_of(rank), here, failed);
        });
    }
    void shot(std::uint32_t signature, const auto& what_of, const auto& comes) {
        shot_with([signature](unsigned) { return signature; }, what_of, comes);
    }
    void shot(std::uint32_t signature, const auto& what_of) { shot(signature, what_of, everyone); }

    template <unsigned bits = 32>
    void packets(const auto& signature_of, const auto& what_of, const auto& comes) {
        launch(comes, [&](unsigned rank, const Here& here, std::uint64_t* failed) {
            const auto what = what_of(rank);
            kernels::check_packets(groups[rank], boxes, what);
            kernels::allreduce_packets<bits>(groups[rank], boxes, signature_of(rank), what, failed, here);
        });
    }
    template <unsigned bits = 32>
    void packets(const auto& what_of) {
        packets<bits>([](unsigned) { return 7U; }, what_of, everyone);
    }

    /// Each rank makes `calls` calls one after the other, as on a stream of its own, so one may be a call ahead of
    /// another. `before(rank, call)` and `after(rank, call)` run on one thread of the rank, between its kernels;
    /// `run(rank, call, here, failed)` on all.
    void back_to_back(int calls, const auto& before, const auto& run, const auto& after) {
        std::list<std::barrier<>> of_rank;
        for (std::size_t r = 0; r < groups.size(); ++r)
            of_rank.emplace_back(static_cast<std::ptrdiff_t>(shape_.blocks * shape_.threads));
        launch(everyone, [&](unsigned rank, const Here& here, std::uint64_t* failed) {
            auto& kernel_ends = *std::next(of_rank.begin(), rank);
            const bool first = here.block() == 0 && here.thread() == 0;
            for (int call = 0; call < calls; ++call) {
                if (first) before(rank, call);
                kernel_ends.arrive_and_wait();
                run(rank, call, here, failed);
                kernel_ends.arrive_and_wait();
                if (first) after(rank, call);
            }
        });
    }
    /// One thread's part of a shot.
    void run_shot(unsigned rank, std::uint32_t signature, const auto& what, const Here& here,
                  std::uint64_t* failed) const {
        using namespace kernels;
        const access_width how = access_of_shot(groups[rank], what);
        with_constants<lanes_of<std::remove_cvref_t<decltype(what)>>>(
            how, what.sources, [&]<unsigned lanes, unsigned most>() {
                allreduce_shot<lanes, most>(groups[rank], signature, what, how, failed, here);
            });
    }

    [[nodiscard]] kernels::failure_word failure_of(unsigned rank) const { return kernels::failure_in(reports_[rank]); }
    [[nodiscard]] bool has_failed() const {
        for (const std::uint64_t word : reports_)
            if (word != 0) return true;
        return false;
    }

    std::vector<kernels::peer_group> groups;
    kernels::packet_boxes boxes;
    static constexpr auto everyone = [](unsigned) { return true; };

protected:
    void launch(const auto& comes, const auto& body) {
        kernels::run_ranks_on_host(static_cast<unsigned>(groups.size()), shape_,
                                   [&](unsigned rank, const kernels::host_execution& thread) {
                                       if (!comes(rank)) return;
                                       const Here here(thread);
                                       body(rank, here, &failed_[std::size_t{rank} * shape_.blocks + here.block()]);
                                   });
    }

private:
    kernels::geometry shape_;
    std::vector<kernels::flag_page> pages_;
    std::vector<std::vector<kernels::block_counters>> counters_;
    std::vector<std::uint64_t> reports_, failed_;
    std::vector<std::vector<std::uint64_t>> boxes_;
};

/// Inputs of a group, and what their allreduce must give.
template <class T, class Op>
struct allreduce_case {
    std::vector<std::vector<T>> in;
    std::vector<T> expected;

    allreduce_case(unsigned ranks, std::size_t count, unsigned seed) : in(ranks) {
        for (unsigned r = 0; r < ranks; ++r)
            for (std::size_t i = 0; i < count; ++i)
                in[r].push_back(static_cast<T>(static_cast<float>((seed + r * 7 + i * 13) % 19) - 6));
        kernels::reduction<T, Op, kernels::stored<T>> all;
        all.sources = ranks;
        all.count = count;
        for (unsigned r = 0; r < ranks; ++r) all.from[r] = in[r].data();
        expected.resize(count);
        by_definition(expected.data(), all);
    }
};

} // namespace tutti::test
