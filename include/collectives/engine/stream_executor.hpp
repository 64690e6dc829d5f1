// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../transport/contract/device_runtime.hpp"
#include "../../transport/contract/transport.hpp"
#include "executor.hpp"

#include <algorithm>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

namespace tutti::engine {

// clang-format off
/// Starts kernels on a stream. They are found by tutti::type_id and tutti::operator_id; false: there is none.
///
/// | expression | meaning |
/// |------------|---------|
/// | c.reduce(type, op, from, to, n, s) | to = from[0] ∘ from[1] ..., from left to right, rounded once; n elements |
/// | c.finish(type, op, data, n, ranks, s) | the operator's last stage of so many ranks, in place |
// clang-format on
template <class L, class Runtime>
concept kernel_launcher = requires(const L c, std::uint64_t id, std::span<const std::byte* const> from, std::byte* to,
                                   std::size_t n, int ranks, typename Runtime::stream& s) {
    { c.reduce(id, id, from, to, n, s) } -> std::same_as<bool>;
    { c.finish(id, id, to, n, ranks, s) } -> std::same_as<bool>;
};

/// Does the local work of calls on a stream of a device: give it to communicator::with_executor. Calls on host memory
/// have theirs done by the host; one call has its data in one of the two.
///
/// The user's own kernels must have finished when a call begins: synchronise their stream before. Results
/// are there when the call has ended.
///
/// Errors of a call: aborted, where there is no kernel for its type and operator, or the device fails.
template <transport::device_runtime Runtime, kernel_launcher<Runtime> Kernels>
class stream_executor final : public executor {
public:
    /// Gives scratch of so many bytes in memory of the device. It may throw.
    using allocator = std::function<std::shared_ptr<std::byte>(std::size_t bytes)>;

    /// Scratch is memory of the communicator, from which its peers copy. The communicator outlives the executor.
    template <class Communicator>
    stream_executor(const Runtime& device, const Communicator& world, Kernels kernels = {})
        : stream_executor(device, allocator([&world](std::size_t bytes) {
                              const auto made = world.template allocate<std::byte>(bytes);
                              return std::shared_ptr<std::byte>(made.data(), [made](std::byte*) {});
                          }),
                          std::move(kernels)) {}
    /// Throws transport::device_error.
    explicit stream_executor(const Runtime& device, allocator scratch, Kernels kernels = {})
        : device_(device), scratch_(std::move(scratch)), kernels_(std::move(kernels)), stream_(made_stream()) {}

    bool start(const local_work& work, transport::transfer& x) override {
        device_.use();
        const places where = places_of(work);
        if (!where.device) return work.run(), true;
        if (work.what != local_work::kind::copy && where.host)
            throw std::invalid_argument("a part of the call's data is in the memory of a GPU, another is not");
        under_way_.push_back({free_event(), nullptr, nullptr}); // first: started work must not be forgotten
        try {
            if (!begin(work)) throw std::invalid_argument("there is no kernel for this type and operator");
            device_.record(under_way_.back().end, stream_);
        } catch (...) { // nothing has begun, or the device has failed
            under_way_.pop_back();
            throw;
        }
        under_way_.back().x = &x;
        under_way_.back().owner = x.owner;
        return false;
    }

    bool progress() override {
        while (!under_way_.empty() && device_.is_done(under_way_.front().end)) {
            piece done = std::move(under_way_.front());
            under_way_.pop_front();
            if (done.x) transport::complete(*done.x);
            free_.push_back(std::move(done.end));
        }
        return !under_way_.empty();
    }

    /// Waits for that call's work on the stream: milliseconds, and 5 s at most. A device that takes longer has
    /// failed.
    void stop(transport::transfer_queue& of) noexcept override {
        const auto until = transport::clock::now() + std::chrono::seconds{5};
        for (piece& p : under_way_) {
            if (p.owner != &of) continue;
            while (!is_over(p) && transport::clock::now() < until) std::this_thread::yield();
            p.x = nullptr;
            p.owner = nullptr;
        }
    }

    [[nodiscard]] std::shared_ptr<std::byte> scratch(std::size_t bytes, const std::byte* beside) override {
        device_.use();
        if (!device_.is_on_device(beside)) return nullptr;
        for (const kept& k : kept_)
            if (k.memory.use_count() == 1 && k.bytes >= bytes && k.bytes / 4 <= bytes) return k.memory;
        std::erase_if(kept_, [](const kept& k) { return k.memory.use_count() == 1; });
        return kept_.emplace_back(kept{scratch_(bytes), bytes}).memory;
    }

private:
    struct piece {
        typename Runtime::event end;
        transport::transfer* x; ///< null: no transfer waits for it any more
        transport::transfer_queue* owner;
    };
    struct kept {
        std::shared_ptr<std::byte> memory; ///< free when its use count is 1
        std::size_t bytes;
    };
    struct places {
        bool host = false, device = false;
    };

    /// False: there is no kernel for it.
    [[nodiscard]] bool begin(const local_work& work) {
        if (work.what == local_work::kind::copy) {
            device_.copy(work.to, work.from[0], work.elements * work.element_bytes, stream_);
            return true;
        }
        if (work.what == local_work::kind::start) return false;
        if (work.what == local_work::kind::finish)
            return kernels_.finish(work.type, work.operation_on_elements, work.to, work.elements, work.ranks, stream_);
        return kernels_.reduce(work.type, work.operation_on_elements, std::span(work.from).first(work.sources), work.to,
                               work.elements, stream_);
    }
    [[nodiscard]] places places_of(const local_work& work) const {
        places all;
        const auto add = [&](const std::byte* p) { (device_.is_on_device(p) ? all.device : all.host) = true; };
        add(work.to);
        for (std::size_t k = 0; k < work.sources; ++k) add(work.from[k]);
        return all;
    }
    [[nodiscard]] bool is_over(const piece& p) const noexcept {
        try {
            return device_.is_done(p.end);
        } catch (const transport::device_error&) { // a device that has failed touches nothing
            return true;
        }
    }
    [[nodiscard]] typename Runtime::event free_event() {
        if (free_.empty()) return device_.make_event();
        auto e = std::move(free_.back());
        free_.pop_back();
        return e;
    }
    [[nodiscard]] typename Runtime::stream made_stream() const {
        device_.use();
        return device_.make_stream();
    }

    Runtime device_;
    allocator scratch_;
    Kernels kernels_;
    typename Runtime::stream stream_;
    std::deque<piece> under_way_; ///< in the order of the stream
    std::vector<typename Runtime::event> free_;
    std::vector<kept> kept_; ///< scratch: to make it takes longer than most calls
};

} // namespace tutti::engine
