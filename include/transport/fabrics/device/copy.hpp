// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../contract/device_runtime.hpp"
#include "../../contract/transport.hpp"

#include <cstddef>
#include <optional>
#include <thread>

namespace tutti::transport::detail::device {

/// A copy that may be under way, one at a time. Its event is used again.
template <device_runtime R>
class copy {
public:
    /// Precondition: none is under way. Throws device_error; then nothing is asked of the device any more.
    void start(const R& runtime, std::byte* to, const std::byte* from, std::size_t bytes, typename R::stream& in) {
        if (!event_) event_.emplace(runtime.make_event());
        runtime.copy(to, from, bytes, in);
        may_run_ = true;
        runtime.record(*event_, in);
        is_under_way_ = true;
    }
    /// A copy was started whose end was not seen.
    [[nodiscard]] bool may_run() const noexcept { return may_run_; }
    [[nodiscard]] bool is_under_way() const noexcept { return is_under_way_; }
    /// It was under way, and is over. Throws device_error.
    [[nodiscard]] bool is_over(const R& runtime) const { return is_under_way_ && runtime.is_done(*event_); }
    /// The same; from now on none is under way then.
    [[nodiscard]] bool has_ended(const R& runtime) {
        if (!is_over(runtime)) return false;
        is_under_way_ = may_run_ = false;
        return true;
    }
    /// Waits until its memory is not touched any more, for a copy cannot be taken back. False: it was still under way.
    [[nodiscard]] bool await(const R& runtime, clock::time_point until) noexcept {
        try {
            for (; is_under_way_ && !has_ended(runtime); std::this_thread::yield())
                if (clock::now() >= until) return is_under_way_ = false;
        } catch (const device_error&) { // a device that has failed copies nothing
            is_under_way_ = false;
        }
        return true;
    }

private:
    std::optional<typename R::event> event_;
    bool is_under_way_ = false; ///< and its event was recorded
    bool may_run_ = false;
};

} // namespace tutti::transport::detail::device
