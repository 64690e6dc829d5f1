// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "sanitizers.hpp"
#include "stack_switch.hpp"

#include <cxxabi.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <functional>
#include <new>
#include <utility>

#if defined(_LIBCPP_VERSION) // whose cxxabi.h leaves out what its library has
namespace __cxxabiv1 {
struct __cxa_eh_globals;
extern "C" __cxa_eh_globals* __cxa_get_globals() noexcept;
} // namespace __cxxabiv1
#endif

namespace tutti::transport::detail {

/// Memory for a fiber's stack, with a page below it that nobody may touch.
class fiber_stack {
public:
    explicit fiber_stack(std::size_t bytes) : guard_(page()), bytes_((bytes + guard_ - 1) / guard_ * guard_ + guard_) {
        base_ = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (base_ == MAP_FAILED) throw std::bad_alloc();
        if (::mprotect(base_, guard_, PROT_NONE) == 0) return;
        ::munmap(base_, bytes_);
        throw std::bad_alloc();
    }
    fiber_stack(const fiber_stack&) = delete;
    fiber_stack& operator=(const fiber_stack&) = delete;
    ~fiber_stack() { ::munmap(base_, bytes_); }

    [[nodiscard]] void* bottom() const noexcept { return static_cast<std::byte*>(base_) + guard_; }
    [[nodiscard]] std::size_t size() const noexcept { return bytes_ - guard_; }

private:
    [[nodiscard]] static std::size_t page() { return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)); }

    std::size_t guard_, bytes_;
    void* base_ = nullptr;
};

/// What the C++ runtime keeps of a thread's exceptions: those that are caught, and how many are under way. A fiber may
/// be suspended in a handler or in a destructor, so each has its own.
class exception_state {
public:
    /// Puts this state in the thread's place, and keeps the thread's.
    void swap() noexcept {
        auto* const of_thread = __cxxabiv1::__cxa_get_globals();
        std::array<std::byte, bytes> kept;
        std::memcpy(kept.data(), of_thread, bytes);
        std::memcpy(static_cast<void*>(of_thread), state_.data(), bytes);
        state_ = kept;
    }

private:
    static constexpr std::size_t bytes = 2 * sizeof(void*); ///< a pointer and a count, by the Itanium C++ ABI
    std::array<std::byte, bytes> state_{};
};

/// A function on a stack of its own, which runs in turns with the code that resumes it. One thread has both.
class fiber {
public:
    /// Throws std::bad_alloc where there is no memory for the stack. `body` must not throw.
    fiber(std::size_t stack_bytes, std::function<void()> body) : stack_(stack_bytes), body_(std::move(body)) {
        inside_.begin(stack_.bottom(), stack_.size(), &enter, this);
    }
    fiber(const fiber&) = delete;
    fiber& operator=(const fiber&) = delete;
    /// Of one that is over, or was never resumed: what stands on its stack is not destroyed.
    ~fiber() = default;

    /// From outside: runs it until it suspends itself, or is over.
    void resume() {
        exceptions_.swap();
        marks_.leave_outside(stack_.bottom(), stack_.size());
        inside_.go_on(outside_);
        marks_.arrive_outside();
        exceptions_.swap();
    }
    /// From inside: goes back to resume(), until the next one.
    void suspend() {
        marks_.leave_inside(false);
        outside_.go_on(inside_);
        marks_.arrive_inside();
    }
    /// Its function has returned.
    [[nodiscard]] bool is_over() const noexcept { return is_over_; }

private:
    static void enter(void* of) {
        auto* const self = static_cast<fiber*>(of);
        self->marks_.arrive_inside();
        self->body_();
        self->is_over_ = true;
        self->marks_.leave_inside(true);
        self->outside_.go_on(self->inside_);
    }

    fiber_stack stack_;
    std::function<void()> body_;
    stack_place inside_, outside_;
    exception_state exceptions_;
    sanitizer_marks marks_;
    bool is_over_ = false;
};

} // namespace tutti::transport::detail
