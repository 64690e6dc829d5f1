// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "process_ranks.hpp"
#include "timing.hpp"
#include "told.hpp"

#include <collectives/algorithm/all.hpp>
#include <collectives/collectives.hpp>
#include <collectives/engine/stream_executor.hpp>
#include <transport/fabrics/cuda_ipc/described.hpp>
#include <transport/fabrics/cuda_ipc/fabric.hpp>
#include <transport/fabrics/shared_memory/described.hpp>
#include <transport/fabrics/staged/described.hpp>
#include <transport/fabrics/staged/fabric.hpp>

#include <algorithm>
#include <chrono>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

/// Collectives of processes on device memory, over whatever stands for CUDA: the real one, or that of the tests.
namespace tutti::gpu_check {

/// Over the fabric that `Described` describes.
template <class Described, transport::device_runtime Runtime, engine::kernel_launcher<Runtime> Kernels>
class device_collectives {
    using transport_type = process_transport<Described>;
    using handle = communicator<transport_type>;
    using operation = schedule::operation;

public:
    explicit device_collectives(const seat& where)
        : device_(-1), world_(transport_type(where, {})), executor_(device_, world_),
          on_device_(world_.with_executor(executor_)), stream_(made_stream()), event_(device_.make_event()) {
        world_.default_deadline(std::chrono::seconds{60});
        if constexpr (transport::registering_transport<transport_type>) {
            registered_ = device_.allocate(registered_bytes);
            world_.register_memory(std::span(registered_, registered_bytes));
            places_.push_back(place::registered);
        }
    }

    /// Every algorithm and operation gives the bits on device memory that it gives on host memory.
    void check_bits(const std::vector<std::size_t>& counts) {
        std::size_t cases = 0;
        std::string wrong;
        for (const auto& how : algorithm::all(2))
            for (const operation o : schedule::operations) {
                if (!how.offers(o)) continue;
                for (const std::size_t count : counts)
                    for (const place where : places_) {
                        ++cases;
                        if (!same_bits(o, how, count, where) && wrong.empty())
                            wrong = std::string(how.name()) + " " + std::string(schedule::name_of(o)) + " of " +
                                    std::to_string(count) + name_of(where);
                    }
            }
        const int bad = world_.allreduce(wrong.empty() ? 0 : 1, maximum);
        if (!wrong.empty()) std::fprintf(stderr, "rank %d: %s\n", world_.rank(), wrong.c_str());
        if (world_.rank() == 0)
            check(of_ranks() + ": " + std::to_string(cases) + " collectives give the host's bits", bad == 0, wrong);
    }

    /// Microseconds of an allreduce in the slab, and of the same through host memory: copied there, reduced there, and
    /// copied back. Of each the least of so many times, by the slowest rank.
    void measure(const std::vector<std::size_t>& sizes, int times) {
        crossover faster;
        for (const std::size_t bytes : sizes) {
            const memory m(*this, bytes, place::slab);
            const std::span<float> data(reinterpret_cast<float*>(m.data()), bytes / sizeof(float));
            std::vector<float> beside(data.size(), 1.0F);
            copy(m.data(), reinterpret_cast<std::byte*>(beside.data()), bytes);
            double direct = 1e30, staged = 1e30;
            for (int i = 0; i < times; ++i) {
                direct = std::min(direct, slowest_time(world_, [&] { on_device_.allreduce(data, maximum); }));
                staged = std::min(staged, slowest_time(world_, [&] {
                                      copy(reinterpret_cast<std::byte*>(beside.data()), m.data(), bytes);
                                      world_.allreduce(beside, maximum);
                                      copy(m.data(), reinterpret_cast<std::byte*>(beside.data()), bytes);
                                  }));
            }
            faster.add(bytes, direct, staged);
            if (world_.rank() != 0) continue;
            const auto what = of_ranks() + ", allreduce of " + std::to_string(bytes) + " bytes";
            figure(what, direct, "us");
            figure(what + ", through host memory", staged, "us");
        }
        if (world_.rank() == 0) fact(of_ranks() + ": faster than through host memory from", faster.from());
    }

private:
    /// Device memory: of the slab, as a program of its own would allocate it, or such that was registered.
    enum class place { slab, own, registered };
    [[nodiscard]] static const char* name_of(place where) {
        return where == place::slab ? "" : where == place::own ? ", not in the slab" : ", in registered memory";
    }
    class memory {
    public:
        memory(device_collectives& of, std::size_t bytes, place where) : of_(of) {
            if (where == place::slab) {
                slab_ = of.world_.template allocate<std::byte>(bytes);
                at_ = slab_.data();
            } else if (where == place::own) {
                own_ = at_ = of.device_.allocate(std::max<std::size_t>(bytes, 1));
            } else {
                at_ = of.registered_ + of.registered_used_;
                of.registered_used_ += taken_ = bytes;
                if (of.registered_used_ > registered_bytes) throw std::logic_error("too little registered memory");
                if constexpr (transport::registering_transport<transport_type>) // again, which changes nothing
                    of.world_.register_memory(std::span(at_, bytes));
            }
        }
        memory(const memory&) = delete;
        memory& operator=(const memory&) = delete;
        ~memory() {
            if (own_) of_.device_.free(own_);
            of_.registered_used_ -= taken_;
        }
        [[nodiscard]] std::byte* data() const noexcept { return at_; }

    private:
        device_collectives& of_;
        symmetric_memory<std::byte> slab_;
        std::byte *own_ = nullptr, *at_ = nullptr;
        std::size_t taken_ = 0;
    };

    [[nodiscard]] typename Runtime::stream made_stream() const {
        device_.use();
        return device_.make_stream();
    }
    void copy(std::byte* to, const std::byte* from, std::size_t bytes) {
        if (bytes == 0) return;
        device_.copy(to, from, bytes, stream_);
        device_.record(event_, stream_);
        while (!device_.is_done(event_)) std::this_thread::yield();
    }
    [[nodiscard]] std::string of_ranks() const {
        return std::to_string(world_.size()) + " processes, " + Described::name;
    }

    static void call(const handle& by, operation o, const algorithm::any& how, std::span<float> in,
                     std::span<float> out) {
        const std::size_t part = in.size() / static_cast<std::size_t>(by.size());
        switch (o) {
        case operation::allreduce: return by.allreduce(in, out, sum, how);
        case operation::reduce_scatter: return by.reduce_scatter(in, out.first(part), sum, how);
        case operation::allgather: return by.allgather(in.first(part), out, how);
        case operation::reduce: return by.reduce(in, out, 0, sum, how);
        case operation::broadcast: return by.broadcast(in, 0, how);
        case operation::gather: return by.gather(in.first(part), out, 0, how);
        case operation::scatter: return by.scatter(in, out.first(part), 0, how);
        case operation::scan: return by.scan(in, out, sum, how);
        case operation::exscan: return by.exscan(in, out, sum, how);
        case operation::alltoall: return by.alltoall(in, out, how);
        }
    }

    [[nodiscard]] bool same_bits(operation o, const algorithm::any& how, std::size_t count, place where) {
        const std::size_t n = count * static_cast<std::size_t>(world_.size()), bytes = n * sizeof(float);
        std::vector<float> in(n), out(n, -1.0F), told_in(n), told_out(n);
        for (std::size_t i = 0; i < n; ++i)
            in[i] = 0.1F * static_cast<float>((i * 7919 + static_cast<std::size_t>(world_.rank()) * 104'729) % 2003);
        const memory device_in(*this, bytes, where), device_out(*this, bytes, where);
        const auto raw = [](std::vector<float>& v) { return reinterpret_cast<std::byte*>(v.data()); };
        const auto seen = [&](const memory& m) { return std::span(reinterpret_cast<float*>(m.data()), n); };
        copy(device_in.data(), raw(in), bytes);
        copy(device_out.data(), raw(out), bytes);
        call(world_, o, how, in, out);
        call(on_device_, o, how, seen(device_in), seen(device_out));
        copy(raw(told_in), device_in.data(), bytes);
        copy(raw(told_out), device_out.data(), bytes);
        const bool at_root = o != operation::reduce || world_.rank() == 0; // elsewhere the output is unspecified
        return told_in == in && (!at_root || told_out == out);
    }

    Runtime device_;
    handle world_;
    engine::stream_executor<Runtime, Kernels> executor_;
    handle on_device_;
    typename Runtime::stream stream_;
    typename Runtime::event event_;
    std::vector<place> places_{place::slab, place::own};
    static constexpr std::size_t registered_bytes = std::size_t{16} << 20;
    std::byte* registered_ = nullptr; ///< never freed: peers may have it open until they end
    std::size_t registered_used_ = 0;
};

/// What one rank does.
template <class Described, class Runtime, class Kernels>
void check_as_rank(const seat& where, bool little) {
    device_collectives<Described, Runtime, Kernels> ranks(where);
    ranks.check_bits(little ? std::vector<std::size_t>{1, 300} : std::vector<std::size_t>{1, 1000, 100'003});
    if (little)
        ranks.measure({4096, 65'536}, 2);
    else
        ranks.measure({4 << 10, 64 << 10, 1 << 20, 4 << 20, 16 << 20, 64 << 20}, 15);
}

/// The program: without a seat it leads ranks, with one it is a rank. "little": for the tests. Ranks go over CUDA IPC,
/// and then over staging: what it does with the device is the same over each fabric, so shared memory takes the place
/// of a network.
template <class Runtime, class Kernels>
int check_device_collectives(int argc, char** argv) {
    using direct = transport::cuda_ipc_fabric<Runtime>;
    using staged = transport::staged_fabric<transport::shared_memory_fabric, Runtime>;
    const std::vector<std::string> words(argv + 1, argv + argc);
    const bool little = !words.empty() && words[0] == "little";
    const auto where = seat_in(words);
    if (!where) {
        int failed = 0;
        const auto lead = [&](const char* way, const std::vector<int>& sizes) {
            auto of_ranks = words;
            of_ranks.emplace_back(way);
            for (const int ranks : sizes)
                failed += lead_ranks(argv[0], ranks, of_ranks, std::chrono::seconds{little ? 60 : 90});
        };
        lead("direct", little ? std::vector{2, 3} : std::vector{2, 4, 8});
        lead("staged", little ? std::vector{2} : std::vector{2, 4});
        if (failed > 0) check("all ranks end well and in time", false);
        return failed == 0 ? 0 : 1;
    }
    return run([&] {
        if (words[words.size() - 4] == "direct")
            check_as_rank<direct, Runtime, Kernels>(*where, little);
        else
            check_as_rank<staged, Runtime, Kernels>(*where, little);
    });
}

} // namespace tutti::gpu_check
