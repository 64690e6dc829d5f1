// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "on_device.hpp"

#include <kernels/stream_communicator.hpp>

#include <collectives/runtime_call.hpp>

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tutti::tools {

namespace detail {

/// Times calls on a stream of a GPU by its events.
template <transport::timed_stream_runtime Runtime>
class event_timer {
public:
    explicit event_timer(const Runtime& device) : device_(device), stream_(made_stream()) {}

    [[nodiscard]] typename Runtime::native_stream stream() { return device_.native(stream_); }
    /// Puts so many calls into the stream, an event before and behind each, and waits for them by `synchronize()`.
    [[nodiscard]] std::vector<double> operator()(const call& put, std::size_t calls, const auto& synchronize) {
        device_.use();
        while (events_.size() <= calls) events_.push_back(device_.make_timed_event());
        device_.record_on(events_[0], stream());
        for (std::size_t i = 1; i <= calls; ++i) {
            put();
            device_.record_on(events_[i], stream());
        }
        synchronize();
        std::vector<double> took_us(calls);
        for (std::size_t i = 0; i < calls; ++i) took_us[i] = device_.microseconds(events_[i], events_[i + 1]);
        return took_us;
    }

private:
    [[nodiscard]] typename Runtime::stream made_stream() const {
        device_.use();
        return device_.make_stream();
    }

    Runtime device_;
    typename Runtime::stream stream_;
    std::vector<typename Runtime::event> events_;
};

/// Puts the job's allreduce into the stream. Precondition: check_settings() takes it.
template <class Calls, class Native>
[[nodiscard]] call allreduce_on(Calls& calls, Native stream, const job& what, const buffers& where) {
    return [&calls, stream, what, where] {
        visit_type(what.type, [&]<class T>(std::type_identity<T>) {
            auto* const out = reinterpret_cast<T*>(where.output);
            const T* const in = what.in_place ? out : reinterpret_cast<const T*>(where.input);
            const std::span<const T> from(in, what.count);
            const std::span<T> to(out, what.count);
            const auto by = [&]<class Op>(const Op& op) {
                if constexpr (operator_on<Op, T>) calls.allreduce(from, to, op, stream);
            };
            switch (what.op) {
            case operator_type::product: return by(product);
            case operator_type::minimum: return by(minimum);
            case operator_type::maximum: return by(maximum);
            case operator_type::average: return by(average);
            default: return by(sum);
            }
        });
    };
}

} // namespace detail

/// As bench_on_device, of calls in the order of a stream, whose times are the GPU's.
template <class Transport, transport::timed_stream_runtime Runtime, stream_kernels<Runtime> Kernels>
int bench_on_stream(const bench_settings& settings, int room, int number, std::string name) {
    Transport fabric = Transport::from_environment({.device = number});
    const bool crowded = fabric.crowded();
    any_communicator world = make_world(transport::any(std::move(fabric)), settings);
    world.default_deadline(settings.deadline());
    const Runtime device(number);
    stream_communicator<Runtime, Kernels, any_communicator> calls(device, world);
    detail::event_timer<Runtime> timer(device);
    detail::device_copier<Runtime> copier(device, settings.deadline());
    return bench_in_world(world,
                          {crowded,
                           [&](const job& what, const buffers& where) {
                               return detail::allreduce_on(calls, timer.stream(), what, where);
                           },
                           {},
                           [&](std::size_t bytes) { return calls.template allocate<std::byte>(bytes); },
                           std::ref(copier),
                           std::move(name) + ", " + std::string(name_of(calls.path())),
                           [&](const call& put, std::size_t times) {
                               return timer(put, times, [&] { calls.synchronize(timer.stream()); });
                           }},
                          settings, room);
}

} // namespace tutti::tools
