// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "process_ranks.hpp"
#include "timing.hpp"
#include "told.hpp"

#include <collectives/collectives.hpp>
#include <kernels/stream_communicator.hpp>
#include <transport/fabrics/cuda_ipc/described.hpp>
#include <transport/fabrics/cuda_ipc/fabric.hpp>
#include <transport/memory.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <span>
#include <string>
#include <thread>
#include <vector>

/// Stream-ordered calls, over whatever stands for CUDA: the real one, or that of the tests.
namespace tutti::gpu_check {

/// One rank. Its communicator may be of processes or of threads.
template <transport::stream_runtime Runtime, stream_kernels<Runtime> Kernels, class Communicator>
class stream_collectives {
public:
    /// Calls go by `expected`, or the check fails.
    stream_collectives(const Communicator& world, kernels::stream_path expected)
        : device_(0), world_(world), calls_(device_, world, Kernels{}), own_((device_.use(), device_.make_stream())) {
        if (world_.rank() == 0) check(in_words() + ": the way of these ranks", calls_.path() == expected);
    }

    /// Allreduces give the bits of the host's sums in the order of ranks: of each number of elements, in memory of
    /// allocate() and in the caller's own, in place and not.
    void check_bits(const std::vector<std::size_t>& counts) {
        std::size_t cases = 0, wrong = 0;
        for (const std::size_t n : counts) {
            const auto window = calls_.template allocate<float>(2 * n + 2);
            std::byte* const own = device_.allocate((2 * n + 2) * sizeof(float));
            for (float* const at : {window.data(), reinterpret_cast<float*>(own)})
                for (const bool in_place : {true, false})
                    for (const std::size_t skew : {std::size_t{0}, std::size_t{1}}) {
                        ++cases;
                        wrong += !same_bits({at + skew, n}, {at + (in_place ? skew : n + skew), n});
                    }
            calls_.synchronize(stream());
            device_.free(own);
        }
        const auto bad = world_.allreduce(wrong, maximum);
        if (world_.rank() == 0)
            check(in_words() + ": " + std::to_string(cases) + " allreduces on a stream give the bits of the host",
                  bad == 0);
    }

    /// Microseconds of an allreduce on a stream, the mean of so many that follow each other without a wait of the host.
    /// The same with a kernel of each rank before each, as in training. And of one through host memory: copied there,
    /// reduced there, and copied back. Of each the least of five.
    void measure(const std::vector<std::size_t>& sizes, int times) {
        crossover faster;
        for (const std::size_t bytes : sizes) {
            const auto data = calls_.template allocate<float>(bytes / sizeof(float));
            std::vector<float> beside(data.size());
            double ordered = 1e30, behind = 1e30, staged = 1e30;
            const auto calls_on_stream = [&](bool behind_kernels) {
                for (int k = 0; k < times; ++k) {
                    if (behind_kernels) start_kernel(data);
                    calls_.allreduce(data, sum, stream());
                }
                calls_.synchronize(stream());
            };
            for (int i = 0; i < 5; ++i) {
                ordered = std::min(ordered, slowest_time(world_, [&] { calls_on_stream(false); }) / times);
                behind = std::min(behind, slowest_time(world_, [&] { calls_on_stream(true); }) / times);
                staged = std::min(staged, slowest_time(world_, [&] {
                                      copy(beside.data(), data.data(), bytes);
                                      world_.allreduce(beside, sum);
                                      copy(data.data(), beside.data(), bytes);
                                  }));
            }
            faster.add(bytes, ordered, staged);
            if (world_.rank() != 0) continue;
            const auto what = in_words() + ", allreduce of " + std::to_string(bytes) + " bytes";
            figure(what + ", on a stream", ordered, "us");
            figure(what + ", on a stream, each behind a kernel of its rank", behind, "us");
            figure(what + ", through host memory", staged, "us");
        }
        if (world_.rank() == 0) fact(in_words() + ": faster than host memory from", faster.from());
    }

private:
    [[nodiscard]] typename Runtime::native_stream stream() noexcept { return device_.native(own_); }
    [[nodiscard]] std::string in_words() const {
        return std::to_string(world_.size()) + " ranks, " + std::string(name_of(calls_.path()));
    }
    /// A short one of this rank alone, which changes nothing.
    void start_kernel(std::span<float> data) {
        auto* const at = reinterpret_cast<std::byte*>(data.data());
        const std::array<const std::byte*, 1> from{at};
        device_.use();
        Kernels{}.reduce(type_id<float>(), operator_id<sum_operator>(), from, at,
                         std::min<std::size_t>(data.size(), 1024), own_);
    }
    void copy(void* to, const void* from, std::size_t bytes) {
        if (bytes == 0) return;
        device_.copy_on(static_cast<std::byte*>(to), static_cast<const std::byte*>(from), bytes, stream());
        calls_.synchronize(stream());
    }
    [[nodiscard]] bool same_bits(std::span<float> in, std::span<float> out) {
        const std::size_t n = in.size();
        std::vector<float> mine(n), all(n * static_cast<std::size_t>(world_.size())), expected, found(n), kept(n);
        // Calls of the host choose their order of the sum, which whole numbers do not depend on.
        const float unit = calls_.path() == kernels::stream_path::host ? 1.0F : 0.1F;
        for (std::size_t i = 0; i < n; ++i)
            mine[i] = unit * static_cast<float>((i * 7919 + static_cast<std::size_t>(world_.rank()) * 104'729) % 2003);
        world_.allgather(mine, all);
        expected.assign(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(n));
        for (std::size_t r = 1; r < static_cast<std::size_t>(world_.size()); ++r)
            for (std::size_t i = 0; i < n; ++i) expected[i] = sum(expected[i], all[r * n + i]);
        copy(in.data(), mine.data(), in.size_bytes());
        calls_.allreduce(in, out, sum, stream());
        calls_.synchronize(stream()); // a copy to memory that is not pinned would wait with CUDA's lock
        copy(found.data(), out.data(), out.size_bytes());
        copy(kept.data(), in.data(), in.size_bytes());
        return found == expected && (in.data() == out.data() || kept == mine);
    }
    Runtime device_;
    const Communicator& world_;
    stream_communicator<Runtime, Kernels, Communicator> calls_;
    typename Runtime::stream own_;
};

/// One rank's part of the program.
template <class Runtime, class Kernels, class Communicator>
void check_streams_of(Communicator& world, kernels::stream_path expected, bool little) {
    world.default_deadline(std::chrono::seconds{60});
    stream_collectives<Runtime, Kernels, Communicator> ranks(world, expected);
    ranks.check_bits(little ? std::vector<std::size_t>{1, 3000}
                            : std::vector<std::size_t>{1, 1000, 10'000, 100'003, 3'000'001});
    if (little)
        ranks.measure({4096}, 2);
    else
        ranks.measure({4 << 10, 64 << 10, 1 << 20, 4 << 20, 16 << 20, 64 << 20}, 20);
}

/// The same where calls take long.
template <class Runtime, class Kernels, class Communicator>
void check_few_streams_of(Communicator& world, kernels::stream_path expected, bool little) {
    world.default_deadline(std::chrono::seconds{60});
    stream_collectives<Runtime, Kernels, Communicator> ranks(world, expected);
    ranks.check_bits(little ? std::vector<std::size_t>{1, 3000} : std::vector<std::size_t>{1, 1000, 10'000, 100'003});
    ranks.measure({4096}, 2);
}

/// Ranks that are threads of this process.
template <class Runtime, class Kernels>
void check_streams_of_threads(int size, bool little) {
    const auto fabric = transport::memory_world::create(size);
    std::vector<std::string> wrong(static_cast<std::size_t>(size));
    {
        std::vector<std::jthread> threads;
        for (int r = 0; r < size; ++r)
            threads.emplace_back([&, r] {
                try {
                    communicator world{transport::memory(fabric, r)};
                    check_streams_of<Runtime, Kernels>(world, kernels::stream_path::together, little);
                } catch (const std::exception& e) {
                    wrong[static_cast<std::size_t>(r)] = e.what();
                }
            });
    }
    for (const auto& w : wrong)
        if (!w.empty()) throw std::runtime_error(w);
}

} // namespace tutti::gpu_check
