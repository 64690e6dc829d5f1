// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

// Shadow stacks (-fcf-protection) do not know of a switch by hand.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__CET__)
#define TUTTI_SWITCHES_BY_HAND
#else
#include <ucontext.h>
#endif

namespace tutti::transport::detail {

/// Where code goes on that has left its stack. swapcontext would make a system call each time, for the signal mask,
/// which no fiber changes.
class stack_place {
public:
    stack_place() = default;
    stack_place(const stack_place&) = delete;
    stack_place& operator=(const stack_place&) = delete;

    /// The beginning of body(self) on that stack. It must not return.
    void begin(void* bottom, std::size_t bytes, void (*body)(void*), void* self) noexcept;
    /// Goes on there, and keeps in `from` where this code stands.
    void go_on(stack_place& from) noexcept;

private:
#if defined(TUTTI_SWITCHES_BY_HAND)
    void** top_ = nullptr; ///< of the stack; there lies where to go on
    void* self_ = nullptr;
#else
    static void enter(unsigned low, unsigned high) {
        auto* const place = reinterpret_cast<stack_place*>(std::uint64_t{high} << 32 | low);
        place->body_(place->self_);
    }

    ucontext_t context_{};
    void (*body_)(void*) = nullptr;
    void* self_ = nullptr;
#endif
};

#if defined(TUTTI_SWITCHES_BY_HAND)

inline void stack_place::begin(void* bottom, std::size_t bytes, void (*body)(void*), void* self) noexcept {
    constexpr std::size_t alignment = 16;
    const auto end = reinterpret_cast<std::uintptr_t>(bottom) + bytes;
    top_ = reinterpret_cast<void**>(end / alignment * alignment);
    *--top_ = nullptr; // in place of a return address, 8 bytes beside a multiple of 16
    *--top_ = reinterpret_cast<void*>(body);
    self_ = self;
}

// Code that calls go_on() must not know what it spoils: another fiber spoils more.
#if defined(__clang__)
#define TUTTI_OPAQUE [[gnu::noinline]]
#else
#define TUTTI_OPAQUE [[gnu::noipa]]
#endif

/// Its callers have saved all registers but those that the System V ABI lets a function keep: the compiler saves r12 to
/// r15 here since they are named as spoiled, and the code itself rbx, rbp and the two control words. A function that
/// begins finds its argument in rdi.
TUTTI_OPAQUE inline void stack_place::go_on(stack_place& from) noexcept {
    void*** kept = &from.top_;
    void** to = top_;
    void* argument = self_;
    asm volatile("leaq -128(%%rsp), %%rsp\n\t" // what a leaf function may have below
                 "pushq %%rbx\n\t"
                 "pushq %%rbp\n\t"
                 "subq $8, %%rsp\n\t"
                 "stmxcsr (%%rsp)\n\t"
                 "fnstcw 4(%%rsp)\n\t"
                 "leaq 1f(%%rip), %%rax\n\t"
                 "pushq %%rax\n\t"
                 "movq %%rsp, (%[kept])\n\t"
                 "movq %[to], %%rsp\n\t"
                 "popq %%rax\n\t"
                 "jmpq *%%rax\n"
                 "1:\n\t"
                 "ldmxcsr (%%rsp)\n\t"
                 "fldcw 4(%%rsp)\n\t"
                 "addq $8, %%rsp\n\t"
                 "popq %%rbp\n\t"
                 "popq %%rbx\n\t"
                 "leaq 128(%%rsp), %%rsp"
                 : "+D"(argument), [kept] "+d"(kept), [to] "+c"(to)
                 :
                 : "rax", "rsi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "cc", "memory");
}
#undef TUTTI_OPAQUE

#else

inline void stack_place::begin(void* bottom, std::size_t bytes, void (*body)(void*), void* self) noexcept {
    ::getcontext(&context_);
    context_.uc_stack.ss_sp = bottom;
    context_.uc_stack.ss_size = bytes;
    context_.uc_link = nullptr;
    body_ = body;
    self_ = self;
    // makecontext hands on ints alone, and a pointer may take two.
    const auto place = reinterpret_cast<std::uintptr_t>(this);
    ::makecontext(&context_, reinterpret_cast<void (*)()>(&enter), 2, static_cast<unsigned>(place),
                  static_cast<unsigned>(std::uint64_t{place} >> 32));
}
inline void stack_place::go_on(stack_place& from) noexcept { ::swapcontext(&from.context_, &context_); }

#endif

} // namespace tutti::transport::detail
