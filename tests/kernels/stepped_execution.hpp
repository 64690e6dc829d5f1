// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/reduce/execution.hpp"

#include "support/interleavings.hpp"

#include <atomic>
#include <cstdint>
#include <utility>

namespace tutti::test {

/// The only thread of a rank's only block, as one of two actors of `interleavings`: each operation on a shared word is
/// a step, and resting sleeps until the other has stored something.
class stepped_execution {
public:
    using stores = interleavings::word; // how many there were

    explicit stepped_execution(stores& all) noexcept : stores_(&all) {}

    [[nodiscard]] unsigned thread() const noexcept { return 0; }
    [[nodiscard]] unsigned threads() const noexcept { return 1; }
    [[nodiscard]] unsigned block() const noexcept { return 0; }
    [[nodiscard]] unsigned blocks() const noexcept { return 1; }
    void sync() const noexcept {}

    // Nobody else goes on between the step and the access behind it.
    [[nodiscard]] std::uint64_t load_acquire(const std::uint64_t* at) const {
        const std::uint32_t now = stores_->load(std::memory_order_seq_cst);
        if (std::exchange(rested_, false)) seen_ = now; // of several loads before a rest, the first one counts
        return *at;
    }
    [[nodiscard]] std::uint64_t load_relaxed(const std::uint64_t* at) const { return load_acquire(at); }
    void store_release(std::uint64_t* to, std::uint64_t value) const {
        stores_->store(++counted(), std::memory_order_seq_cst);
        *to = value;
        wake_all(*stores_);
    }
    void store_relaxed(std::uint64_t* to, std::uint64_t value) const { store_release(to, value); }

    [[nodiscard]] std::uint64_t nanoseconds() const noexcept { return 0; } // nobody is ever late
    void rest() const {
        sleep_on(*stores_, seen_, {});
        rested_ = true;
    }

private:
    static std::uint32_t& counted() noexcept {
        static std::uint32_t all = 0; // one actor goes on at a time
        return all;
    }

    stores* stores_;
    mutable std::uint32_t seen_ = 0;
    mutable bool rested_ = true;
};

static_assert(kernels::peer_execution<stepped_execution>);

} // namespace tutti::test
