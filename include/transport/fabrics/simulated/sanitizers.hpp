// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#if defined(__has_feature)
#define TUTTI_HAS_FEATURE(x) __has_feature(x)
#else
#define TUTTI_HAS_FEATURE(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || TUTTI_HAS_FEATURE(address_sanitizer)
#define TUTTI_ADDRESS_SANITIZER
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(__SANITIZE_THREAD__) || TUTTI_HAS_FEATURE(thread_sanitizer)
#define TUTTI_THREAD_SANITIZER
#include <sanitizer/tsan_interface.h>
#endif
#undef TUTTI_HAS_FEATURE

namespace tutti::transport::detail {

/// Tells the sanitizers, if there are any, which stack a thread is on. For one fiber: each leaving stands before the
/// switch, each arriving behind it.
class sanitizer_marks {
public:
    sanitizer_marks() {
#if defined(TUTTI_THREAD_SANITIZER)
        inside_ = __tsan_create_fiber(0);
#endif
    }
    sanitizer_marks(const sanitizer_marks&) = delete;
    sanitizer_marks& operator=(const sanitizer_marks&) = delete;
    ~sanitizer_marks() {
#if defined(TUTTI_THREAD_SANITIZER)
        __tsan_destroy_fiber(inside_);
#endif
    }

    void leave_outside([[maybe_unused]] const void* bottom, [[maybe_unused]] std::size_t size) noexcept {
#if defined(TUTTI_ADDRESS_SANITIZER)
        __sanitizer_start_switch_fiber(&fake_outside_, bottom, size);
#endif
#if defined(TUTTI_THREAD_SANITIZER)
        outside_ = __tsan_get_current_fiber();
        __tsan_switch_to_fiber(inside_, 0);
#endif
    }
    void arrive_inside() noexcept {
#if defined(TUTTI_ADDRESS_SANITIZER)
        __sanitizer_finish_switch_fiber(fake_inside_, &bottom_outside_, &size_outside_);
#endif
    }
    void leave_inside([[maybe_unused]] bool for_good) noexcept {
#if defined(TUTTI_ADDRESS_SANITIZER)
        __sanitizer_start_switch_fiber(for_good ? nullptr : &fake_inside_, bottom_outside_, size_outside_);
#endif
#if defined(TUTTI_THREAD_SANITIZER)
        __tsan_switch_to_fiber(outside_, 0);
#endif
    }
    void arrive_outside() noexcept {
#if defined(TUTTI_ADDRESS_SANITIZER)
        __sanitizer_finish_switch_fiber(fake_outside_, nullptr, nullptr);
#endif
    }

private:
#if defined(TUTTI_ADDRESS_SANITIZER)
    void *fake_outside_ = nullptr, *fake_inside_ = nullptr;
    const void* bottom_outside_ = nullptr;
    std::size_t size_outside_ = 0;
#endif
#if defined(TUTTI_THREAD_SANITIZER)
    void *outside_ = nullptr, *inside_ = nullptr;
#endif
};

} // namespace tutti::transport::detail
