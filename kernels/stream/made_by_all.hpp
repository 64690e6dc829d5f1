// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <tutti/base/error.hpp>
#include <tutti/collectives/reduction/operators.hpp>

#include <cstdint>
#include <exception>
#include <optional>
#include <utility>

namespace tutti::kernels::detail {

/// What each rank's `make` gives, on all ranks or on none. Collective. Where it fails on any rank, all throw: that rank
/// what `make` threw, and the others cause::aborted.
template <class World, class Make>
[[nodiscard]] auto made_by_all(const World& world, const Make& make) {
    std::optional<decltype(make())> made;
    std::exception_ptr failed;
    try {
        made.emplace(make());
    } catch (...) {
        failed = std::current_exception();
    }
    if (world.allreduce(std::uint64_t{!failed}, minimum) != 0) return std::move(*made);
    if (failed) std::rethrow_exception(failed);
    fault f;
    f.why = cause::aborted;
    f.operation = "stream-ordered calls";
    f.detail = "another rank lacks what they need";
    throw error(std::move(f));
}

} // namespace tutti::kernels::detail
