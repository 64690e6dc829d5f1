// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "stream/host_path.hpp"
#include "stream/leader_path.hpp"
#include "stream/path.hpp"
#include "stream/peers_path.hpp"
#include "stream/threads_path.hpp"

#include <tutti/base/own_process.hpp>
#include <tutti/collectives/calls/arguments.hpp>
#include <tutti/collectives/communicator.hpp>
#include <tutti/collectives/symmetric_memory.hpp>

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

namespace tutti {

// clang-format off
/// Starts the kernels of stream-ordered calls. They are found by tutti::type_id and tutti::operator_id. It is a
/// kernel_launcher as well.
///
/// | expression          | meaning |
/// |---------------------|---------|
/// | c.has(type, op)     | there are kernels for them |
/// | c.fused(call, N)    | starts a kernels::fused_call |
/// | c.together(call, N) | starts a kernels::group_call, so that all its blocks are resident |
/// | c.placed(call, N)   | the same of a kernels::placed_call |
/// | c.scheduled(call, N) | the same of a kernels::scheduled_call |
/// | c.blocks(ranks)     | of each rank, so that those of all ranks are resident; most_group_blocks at most |
/// | c.load(ranks)       | loads the kernels of fused calls of so many ranks for the current device |
// clang-format on
template <class K, class Runtime>
concept stream_kernels = engine::kernel_launcher<K, Runtime> &&
                         requires(const K c, const kernels::fused_call& fused, const kernels::group_call& group,
                                  const kernels::placed_call& placed, const kernels::scheduled_call& scheduled,
                                  typename Runtime::native_stream n) {
                             { c.has(fused.type, fused.op) } -> std::same_as<bool>;
                             { c.fused(fused, n) } -> std::same_as<void>;
                             { c.together(group, n) } -> std::same_as<void>;
                             { c.placed(placed, n) } -> std::same_as<void>;
                             { c.scheduled(scheduled, n) } -> std::same_as<void>;
                             { c.blocks(1U) } -> std::same_as<unsigned>;
                             { c.load(1U) } -> std::same_as<void>;
                         };

/// Collectives in the order of the caller's streams, on data in memory of a GPU: a call returns when its work has been
/// put into the stream. kernels::stream_path says how the ranks' data meet.
///
/// Collective: every rank makes one, of the same communicator, with a device, and makes the same calls in the same
/// order. The calls of one object follow each other, whatever their streams. One thread of a rank calls at a time. The
/// destructor waits for this rank's calls and for the other ranks, until the deadline.
///
/// Several objects of one world are called in one order on all ranks.
///
/// Waiting on the host: processes on one GPU never wait in a call, unless 64 parts of calls are under way. Those with
/// a GPU each never wait. Threads of one process wait until all have made the call, and use the communicator for it.
/// Calls of the host block. The first call of a kind may wait until CUDA has loaded its kernel.
///
/// Deadlines: that of the communicator when this is made. The time of a call of processes begins when the call before
/// it has ended on the device; with threads, when a rank has made it.
///
/// Errors: tutti::error. invalid_argument changes nothing, and neither does a mismatch of threads. Another call cannot
/// end where a rank is gone, is late, or has called something else. It is given up: all streams go on, and its output
/// is anything. The error is thrown by the next call, examine() or synchronize(), on every rank. Then the object is of
/// no further use. Where processes have a GPU each, so is the end of one without its destructor, also between calls.
/// device_error of the runtime, and what `Kernels` throws, come as they are. For processes the object is of no further
/// use then; the others are told at once, or by the deadline where each has a GPU.
///
/// Graphs: threads of one process may call while their streams record one common graph. It is replayed beside no other
/// call. Others are refused.
template <transport::stream_runtime Runtime, stream_kernels<Runtime> Kernels, class Communicator>
class stream_communicator {
    using native = typename Runtime::native_stream;
    using leader_path = kernels::detail::leader_path<Runtime, Kernels, Communicator>;
    using peers_path = kernels::detail::peers_path<Runtime, Kernels, Communicator>;
    using threads_path = kernels::detail::threads_path<Runtime, Kernels, Communicator>;
    using host_path = kernels::detail::host_path<Runtime, Kernels, Communicator>;
    template <class Path>
    using owned = std::unique_ptr<Path>;

public:
    /// Collective; `limits` are equal on all ranks.
    stream_communicator(const Runtime& device, const Communicator& world, Kernels with = {},
                        const kernels::stream_limits& limits = {})
        : device_(device), world_(world), kernels_(std::move(with)) {
        device_.use();
        const auto places = exchange_places();
        chosen_ = kernels::detail::path_of(places, world_.topology().nodes());
        if (chosen_.path != kernels::stream_path::host && !all_can([&] { start(places, limits); })) {
            abandon();
            chosen_ = {kernels::stream_path::host, "some rank could not share its memory, or reach that of others"};
        }
        if (chosen_.path == kernels::stream_path::host) calls_ = std::make_unique<host_path>(device_, world_, kernels_);
    }
    stream_communicator(const stream_communicator&) = delete;
    stream_communicator& operator=(const stream_communicator&) = delete;
    ~stream_communicator() { drop(); }

    /// This rank, and how many there are.
    /// @{
    [[nodiscard]] int rank() const noexcept { return world_.rank(); }
    [[nodiscard]] int size() const noexcept { return world_.size(); }
    /// @}
    /// How calls go.
    [[nodiscard]] kernels::stream_path path() const noexcept { return chosen_.path; }

    /// allreduce in place: every rank gets the reduction of all ranks' data, element by element; the same bits on every
    /// rank. Built-in operators, of the types that `Kernels` has. Valid when the stream has come so far.
    ///
    /// The bits are those of ((data of rank 0 ∘ data of rank 1) ∘ ...), rounded once. Calls of the host choose an
    /// algorithm instead, and have its bits. `how` names one: threads run its schedule by the device engine, with the
    /// bits of the host. Processes that share a GPU, or have one each, name none: invalid_argument.
    template <class Range, class Op, class How = detail::automatic>
        requires(detail::range_like<Range> && !detail::range_like<Op>)
    void allreduce(Range&& data, const Op& op, native stream, const How& how = {}) {
        const auto elements = detail::writable_span_of(data);
        reduce(std::span<const typename decltype(elements)::value_type>(elements), elements, op, stream, how);
    }
    /// The same from an input to an output, which are the same memory or disjoint.
    template <class In, class Out, class Op, class How = detail::automatic>
        requires(detail::range_like<Out>)
    void allreduce(In&& in, Out&& out, const Op& op, native stream, const How& how = {}) {
        const auto to = detail::writable_span_of(out);
        reduce(std::span<const typename decltype(to)::value_type>(detail::span_of(in)), to, op, stream, how);
    }

    /// `n` elements of device memory, zeros, that calls use where they are. Collective: all ranks allocate, not
    /// necessarily as much. Keep what it returns as long as you use the memory. Of processes there are 15 pieces at
    /// most, which stay as long as this object, and other memory is copied. Errors: device_error on a rank that has
    /// none, cause::aborted on the others.
    template <element T>
    [[nodiscard]] symmetric_memory<T> allocate(std::size_t n) {
        const std::size_t bytes = detail::symmetric_size<T>(n);
        return {std::visit([&](const auto& path) { return path->allocate(bytes); }, calls_), n};
    }
    /// The same for memory of the caller's, a contiguous range: one whole allocation of cudaMalloc, which outlives this
    /// object. Collective.
    template <class Range>
    void register_memory(Range&& whole) {
        const auto elements = detail::writable_span_of(whole);
        std::visit([&](const auto& path) { path->add(detail::raw(elements).data, elements.size_bytes()); }, calls_);
    }

    /// Throws if a call has failed. Never blocks.
    void examine() const {
        std::visit([](const auto& path) { path->examine("a call on a stream"); }, calls_);
    }
    /// Waits until the stream has come so far; then as examine().
    void synchronize(native stream) {
        device_.use();
        auto now = device_.make_event();
        device_.record_on(now, stream);
        while (!device_.is_done(now)) std::this_thread::sleep_for(std::chrono::microseconds{20});
        examine();
    }

    /// How an allreduce of these data would go, and why, in words. Not collective.
    template <class Range>
    [[nodiscard]] std::string explain(const Range& data) const {
        const auto elements = detail::span_of(data);
        std::string words = std::string(name_of(chosen_.path)) + ": " + chosen_.why;
        const std::byte* const data_at = as_bytes(elements.data());
        if (!std::visit([&](const auto& path) { return path->reaches(data_at, elements.size_bytes()); }, calls_))
            words += "; these data are not of allocate() or register_memory(), so they are copied to memory that is, "
                     "and back";
        return words;
    }

private:
    [[nodiscard]] std::vector<kernels::detail::rank_place> exchange_places() const {
        const auto mine = kernels::detail::place_of(device_);
        std::vector<kernels::detail::rank_place> all(static_cast<std::size_t>(size()));
        world_.allgather(std::span(&mine, 1), all);
        return all;
    }

    template <class T, class Op, class How>
    void reduce(std::span<const T> in, std::span<T> out, const Op& op, native stream, const How& how) {
        using bare = detail::bare_operator<Op>;
        static_assert(!detail::built_in_name<bare>().empty() && !detail::is_premultiplied_sum<bare>,
                      "tutti: stream-ordered calls take the built-in operators, and not premultiplied_sum");
        check_operator<Op, T>();
        std::string (*const name)(std::size_t) = &kernels::detail::name_of_call<T, bare>;
        if (in.size() != out.size())
            reject(name(in.size()), "the output has " + std::to_string(out.size()) + " elements", "give equal counts");
        if (!kernels_.has(type_id<T>(), operator_id<Op>()))
            reject(name(in.size()), "there is no kernel for this type and operator", "take kernels that have one");
        if (const auto* const host = std::get_if<owned<host_path>>(&calls_))
            return (*host)->allreduce(in, out, op, stream, name(in.size()), how);
        check_place(in.data(), in.size_bytes(), alignof(T), name(in.size()));
        check_place(out.data(), out.size_bytes(), alignof(T), name(in.size()));
        kernels::detail::ordered_call c{.type = type_id<T>(),
                                        .op = operator_id<Op>(),
                                        .element_bytes = sizeof(T),
                                        .count = in.size(),
                                        .whole = in.size(),
                                        .in = const_cast<std::byte*>(as_bytes(in.data())),
                                        .out = const_cast<std::byte*>(as_bytes(out.data())),
                                        .name = name};
        std::optional<algorithm::any> named;
        if constexpr (!std::same_as<How, detail::automatic>) {
            named = how;
            c.how = &*named;
            if (path() != kernels::stream_path::together)
                reject(c.in_words(), "processes have no device engine here: " + chosen_.why,
                       "name no algorithm, or make the ranks threads of one process");
            if (!named->offers(schedule::operation::allreduce))
                reject(c.in_words(), "it has no schedule for an allreduce");
            named->require_runs_on(schedule::operation::allreduce, size()); // the device engine proves it
        }
        std::visit(
            [&](const auto& path) {
                if constexpr (requires { path->allreduce(c, stream); }) path->allreduce(c, stream);
            },
            calls_);
    }
    void start(const std::vector<kernels::detail::rank_place>& places, const kernels::stream_limits& limits) {
        std::vector<std::int64_t> processes;
        for (const auto& p : places) processes.push_back(p.process);
        if (chosen_.path == kernels::stream_path::leader) {
            calls_ = std::make_unique<leader_path>(device_, world_, kernels_, limits, processes);
        } else if (chosen_.path == kernels::stream_path::peers) {
            calls_ = std::make_unique<peers_path>(device_, world_, kernels_, limits, processes);
            if (!std::get<owned<peers_path>>(calls_)->reach_each_other())
                throw transport::device_error("the GPUs do not reach each other's memory");
        } else {
            calls_ = std::make_unique<threads_path>(device_, world_, kernels_, limits);
        }
    }
    /// Whether it could be done on all ranks.
    template <class Work>
    [[nodiscard]] bool all_can(const Work& work) {
        std::uint64_t good = 1;
        try {
            work();
        } catch (const error& e) {
            if (e.why() != cause::aborted && e.why() != cause::invalid_argument) throw; // the communicator has failed
            good = 0;
        } catch (const std::exception&) {
            good = 0;
        }
        return world_.allreduce(good, minimum) != 0;
    }
    /// No rank goes on: none has made a call, and all let go of what they have mapped before any of it is freed.
    void abandon() {
        std::visit(
            [](const auto& path) {
                if constexpr (requires { path->close(); })
                    if (path) path->close();
            },
            calls_);
        world_.barrier();
        calls_ = owned<host_path>();
    }
    void drop() noexcept {
        std::visit([this](auto& path) { drop(path); }, calls_);
    }
    /// What others still use stays until the process ends. So does all of a parent's in its child.
    template <class Path>
    void drop(std::unique_ptr<Path>& p) const noexcept {
        if (p && (!process_.is_this() || !p->finish())) detail::keep_for_good(p.release());
        p.reset();
    }
    void check_place(const void* at, std::size_t bytes, std::size_t alignment, const std::string& call) const {
        device_.use();
        if (bytes > 0 && !device_.is_on_device(as_bytes(at)))
            reject(call, "its data are not in the memory of a GPU", "call the communicator for data of the host");
        if (reinterpret_cast<std::uintptr_t>(at) % alignment != 0)
            reject(call, "its data are not aligned to their elements", "pass pointers to whole elements");
    }
    [[nodiscard]] static const std::byte* as_bytes(const void* p) noexcept { return static_cast<const std::byte*>(p); }

    Runtime device_;
    Communicator world_; ///< a handle, with the deadline that it had
    Kernels kernels_;
    kernels::detail::chosen_path chosen_;
    detail::own_process process_;
    std::variant<owned<host_path>, owned<threads_path>, owned<peers_path>, owned<leader_path>> calls_; ///< how they go
};

} // namespace tutti
