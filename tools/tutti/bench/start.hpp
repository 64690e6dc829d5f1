// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "bench.hpp"
#include "bind.hpp"

#include <collectives/request.hpp>

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <stdexcept>
#include <utility>

namespace tutti::tools {

namespace detail {

/// One request, or several that are a call together.
template <class Request, std::size_t n>
class started_requests final : public started_call {
public:
    explicit started_requests(std::array<Request, n> all) : all_(std::move(all)) {}

    bool test() override {
        bool over = true;
        for (Request& r : all_) over = r.test() && over;
        return over;
    }
    void wait() override {
        for (Request& r : all_) r.wait();
    }

private:
    std::array<Request, n> all_;
};

template <class... Request>
[[nodiscard]] std::unique_ptr<started_call> keep(Request... all) {
    using first = std::common_type_t<Request...>;
    return std::make_unique<started_requests<first, sizeof...(all)>>(
        std::array<first, sizeof...(all)>{std::move(all)...});
}

} // namespace detail

/// Starts jobs on this communicator, which must outlive their calls: collectives and barriers.
template <class Communicator>
[[nodiscard]] start_binder collective_starter_of(const Communicator& world) {
    return [&world](const job& what, const buffers& where) -> starter {
        if (what.barrier) return [&world] { return detail::keep(world.async().barrier()); };
        return [&world, c = describe(what, where)]() mutable { return detail::keep(issue(world.async(), c.ready())); };
    };
}

/// The same, and sendrecv.
template <class Communicator>
[[nodiscard]] start_binder starter_of(const Communicator& world) {
    return [&world, collectives = collective_starter_of(world)](const job& what, const buffers& where) -> starter {
        if (!what.messages) return collectives(what, where);
        if (*what.messages != exchange::sendrecv)
            throw std::invalid_argument("of messages, --overlap measures sendrecv alone");
        const std::span<const std::byte> out(where.input, what.bytes());
        const std::span<std::byte> in(where.output, what.bytes());
        const int next = (what.rank + 1) % what.ranks, before = (what.rank + what.ranks - 1) % what.ranks;
        return [=, &world] {
            auto sent = world.async().send(out, next);
            return detail::keep(std::move(sent), world.async().receive(in, before));
        };
    };
}

} // namespace tutti::tools
