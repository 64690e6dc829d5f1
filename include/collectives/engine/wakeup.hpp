// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../transport/contract/any.hpp"

#include <memory>
#include <mutex>

namespace tutti::engine {

/// Ends the sleep of the thread that drives a world, so that it looks around again. A value: copies mean the same
/// world. Call it from any thread, at any time; when the world is gone, or of none, it does nothing. Costs a mutex and
/// the transport's wake().
class wakeup {
public:
    wakeup() = default;
    void operator()() const noexcept {
        if (!target_) return;
        const std::lock_guard lock(target_->mutex);
        if (target_->what) target_->wake(target_->what);
    }

private:
    friend class wakeup_source;

    struct target {
        std::mutex mutex; ///< `what`: who wakes holds it, so the transport cannot go meanwhile
        void* what = nullptr;
        void (*wake)(void*) = nullptr; ///< constant
    };

    std::shared_ptr<target> target_;
};

/// The other end of wakeups, which the world holds. Goes before the transport.
class wakeup_source {
public:
    explicit wakeup_source(transport::any& t) {
        handle_.target_ = std::make_shared<wakeup::target>();
        handle_.target_->what = &t;
        handle_.target_->wake = [](void* what) { static_cast<transport::any*>(what)->wake(); };
    }
    wakeup_source(const wakeup_source&) = delete;
    wakeup_source& operator=(const wakeup_source&) = delete;
    ~wakeup_source() {
        const std::lock_guard lock(handle_.target_->mutex);
        handle_.target_->what = nullptr;
    }

    [[nodiscard]] const wakeup& handle() const noexcept { return handle_; }

private:
    wakeup handle_;
};

} // namespace tutti::engine
