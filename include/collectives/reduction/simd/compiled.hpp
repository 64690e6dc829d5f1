// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "instructions.hpp"

/// A kernel is a type with `run<set>(arguments...)`, inlined by force, and the `signature` of that. Here it becomes a
/// function for each set of instructions, and one of these is chosen.
namespace tutti::detail {

template <class Kernel, instructions set, class Signature = typename Kernel::signature>
struct compiled;

template <class Kernel, class... Arguments>
struct compiled<Kernel, instructions::baseline, void(Arguments...)> {
    [[gnu::noinline]] static void run(Arguments... arguments) noexcept {
        Kernel::template run<instructions::baseline>(arguments...);
    }
};

#if defined(__x86_64__)
template <class Kernel, class... Arguments>
struct compiled<Kernel, instructions::avx2, void(Arguments...)> {
    [[gnu::noinline, gnu::target("avx2,f16c")]] static void run(Arguments... arguments) noexcept {
        Kernel::template run<instructions::avx2>(arguments...);
    }
};

template <class Kernel, class... Arguments>
struct compiled<Kernel, instructions::avx512, void(Arguments...)> {
    [[gnu::noinline, gnu::target("avx2,f16c,avx512f,avx512bw,avx512dq,avx512vl")]] static void
    run(Arguments... arguments) noexcept {
        Kernel::template run<instructions::avx512>(arguments...);
    }
};

template <class Kernel, class... Arguments>
struct compiled<Kernel, instructions::avx512_vnni, void(Arguments...)> {
    [[gnu::noinline, gnu::target("avx2,f16c,avx512f,avx512bw,avx512dq,avx512vl,avx512vnni")]] static void
    run(Arguments... arguments) noexcept {
        Kernel::template run<instructions::avx512_vnni>(arguments...);
    }
};

template <class Kernel, class... Arguments>
struct compiled<Kernel, instructions::avx512_fp16, void(Arguments...)> {
    [[gnu::noinline, gnu::target("avx2,f16c,avx512f,avx512bw,avx512dq,avx512vl,avx512fp16")]] static void
    run(Arguments... arguments) noexcept {
        Kernel::template run<instructions::avx512_fp16>(arguments...);
    }
};
#endif

/// The set beyond avx512 that a kernel has a function for; avx512 if it names none.
template <class Kernel>
inline constexpr instructions furthest = instructions::avx512;
template <class Kernel>
    requires requires { Kernel::furthest; }
inline constexpr instructions furthest<Kernel> = Kernel::furthest;

/// The result of `use` for the `compiled` of an instruction set. Precondition: this processor has the instructions.
template <class Kernel, class Use>
auto choose(instructions set, const Use& use) noexcept {
#if defined(__x86_64__)
    if (furthest<Kernel> > instructions::avx512 && set >= furthest<Kernel>)
        return use(compiled<Kernel, furthest<Kernel>>{});
    if (set >= instructions::avx512) return use(compiled<Kernel, instructions::avx512>{});
    if (set == instructions::avx2) return use(compiled<Kernel, instructions::avx2>{});
#endif
    static_cast<void>(set);
    return use(compiled<Kernel, instructions::baseline>{});
}

} // namespace tutti::detail
