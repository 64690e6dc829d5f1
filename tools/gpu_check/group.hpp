// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "device.hpp"

#include <kernels/allreduce/allreduce_packets.cuh>
#include <kernels/allreduce/allreduce_shots.cuh>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tutti::gpu_check {

/// Ranks that share this device, each with input and output of `count` elements, and all that they meet by.
template <class T, class Op = sum_operator>
class device_group {
public:
    using reduction = kernels::reduction<T, Op, kernels::stored<T>>;

    device_group(unsigned ranks, unsigned blocks, std::size_t count, std::size_t packet_capacity = 0,
                 std::chrono::nanoseconds patience = std::chrono::seconds(10))
        : pages_(ranks), counters_(std::size_t{ranks} * blocks), reports_(ranks),
          words_(ranks * kernels::packet_box_words(ranks, blocks, packet_capacity)) {
        for (unsigned r = 0; r < ranks; ++r) {
            in.emplace_back(count);
            out.emplace_back(count);
            boxes.of[r] = words_.data() + r * kernels::packet_box_words(ranks, blocks, packet_capacity);
        }
        boxes.capacity = packet_capacity;
        for (unsigned r = 0; r < ranks; ++r) {
            kernels::peer_group g;
            g.rank = r;
            g.size = ranks;
            g.blocks = blocks;
            for (unsigned p = 0; p < ranks; ++p) g.pages[p] = pages_.data() + p;
            g.counters = counters_.data() + std::size_t{r} * blocks;
            g.report = reports_.on_device() + r;
            g.timeout_ns = static_cast<std::uint64_t>(patience.count());
            groups.push_back(g);
        }
        count_ = count;
    }

    [[nodiscard]] unsigned ranks() const noexcept { return static_cast<unsigned>(groups.size()); }
    [[nodiscard]] kernels::failure_word failure_of(unsigned rank) const { return kernels::failure_in(reports_[rank]); }
    [[nodiscard]] bool failed() const {
        for (unsigned r = 0; r < ranks(); ++r)
            if (reports_[r] != 0) return true;
        return false;
    }

    /// What each rank does, by rank.
    [[nodiscard]] std::vector<reduction> one_shot() const {
        std::vector<reduction> all(ranks());
        for (unsigned r = 0; r < ranks(); ++r) {
            all[r] = reading_all();
            all[r].last.to[0] = out[r].data();
        }
        return all;
    }
    [[nodiscard]] std::vector<reduction> two_shots() const {
        std::vector<reduction> all;
        for (unsigned r = 0; r < ranks(); ++r) {
            auto whole = reading_all();
            for (unsigned p = 0; p < ranks(); ++p) whole.last.to[p] = out[p].data();
            whole.last.number = ranks();
            all.push_back(kernels::part_of(whole, r, ranks()));
        }
        return all;
    }
    [[nodiscard]] std::vector<reduction> packets() const {
        std::vector<reduction> all;
        for (unsigned r = 0; r < ranks(); ++r) all.push_back({{in[r].data()}, 1, count_, {{out[r].data()}, 1}});
        return all;
    }
    void launch_shots(const std::vector<reduction>& what, std::uint32_t signature, cudaStream_t stream) const {
        must(kernels::launch_shots(std::span<const kernels::peer_group>(groups), signature,
                                   std::span<const reduction>(what), stream),
             "launch_shots");
    }
    void launch_packets(const std::vector<reduction>& what, std::uint32_t signature, cudaStream_t stream) const {
        must(kernels::launch_packets(std::span<const kernels::peer_group>(groups), boxes, signature,
                                     std::span<const reduction>(what), stream),
             "launch_packets");
    }

    std::vector<kernels::peer_group> groups;
    kernels::packet_boxes boxes;
    std::vector<device_array<T>> in, out;

private:
    [[nodiscard]] reduction reading_all() const {
        reduction what;
        what.sources = ranks();
        what.count = count_;
        for (unsigned r = 0; r < ranks(); ++r) what.from[r] = in[r].data();
        return what;
    }

    device_array<kernels::flag_page> pages_;
    device_array<kernels::block_counters> counters_;
    mapped_words reports_;
    device_array<std::uint64_t> words_;
    std::size_t count_ = 0;
};

} // namespace tutti::gpu_check
