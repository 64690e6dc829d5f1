// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../contract/device_runtime.hpp"
#include "../../sockets/errors.hpp"

#include <chrono>
#include <cstddef>
#include <exception>
#include <optional>
#include <string>
#include <utility>

namespace tutti::transport::detail::device {

/// A copy rings no bell: so often it is looked at by a rank that sleeps.
inline constexpr std::chrono::microseconds look_at_copies{50};
/// That long closing a context waits for copies. A device that takes longer has failed.
inline constexpr std::chrono::seconds longest_copy{5};

/// The device of a rank, as its fabric has it: after a failure it is not called any more, and all calls of the rank
/// end.
template <device_runtime R>
class own_device {
public:
    /// The device of that number. Throws a bootstrap error where there is none, which tells what transport to take
    /// `instead`.
    own_device(int number, const std::string& instead) : runtime(made(number, instead)) {}

    const R runtime;

    /// Does work that may call the device, on whichever thread this is. Its failure is this rank's; after one nothing
    /// is done.
    template <class Work>
    void attempt(Work work) {
        if (!failure_.empty()) return;
        try {
            runtime.use();
            work();
        } catch (const device_error& e) {
            failure_ = std::string("its GPU has failed: ") + e.what();
        } catch (const std::exception& e) { // memory, descriptors
            failure_ = std::string("it lacks what a message needs: ") + e.what();
        }
    }
    void fail(std::string why) {
        if (failure_.empty()) failure_ = std::move(why);
    }
    [[nodiscard]] bool has_failed() const noexcept { return !failure_.empty(); }
    /// The failure, as transport's shortage(peer) tells it.
    [[nodiscard]] std::optional<std::string> shortage() const {
        return failure_.empty() ? std::nullopt : std::optional(failure_);
    }

    /// Throws device_error.
    [[nodiscard]] bool is_on_device(const std::byte* p) const {
        runtime.use();
        return p && runtime.is_on_device(p);
    }

private:
    [[nodiscard]] static R made(int number, const std::string& instead) {
        try {
            return R(number);
        } catch (const device_error& e) {
            bootstrap::bootstrap_failed(std::string("this rank has no GPU: ") + e.what(),
                                        "see what nvidia-smi says, or take " + instead);
        }
    }

    std::string failure_;
};

} // namespace tutti::transport::detail::device
