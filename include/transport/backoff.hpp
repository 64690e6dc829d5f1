// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <thread>

namespace tutti::transport {

namespace detail {

/// Tells the core that this is a spin, so that its sibling thread and the memory bus get a rest.
inline void pause_core() noexcept {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

} // namespace detail

/// How every transport waits: it polls, calls rest() after each fruitless poll, and blocks when rest() says false.
///
/// Spinning is the fastest way to notice a peer that runs on another core, and the slowest when the peer needs this
/// core: there every spin without a yield costs whole scheduler ticks (4 ms). So spins and yields are bounded, and a
/// crowded host (more ranks than cores) gets no spin at all and few yields.
class backoff {
public:
    static constexpr int spins = 30;         ///< polls in a row before the first yield
    static constexpr int yields = 100;       ///< yields before it is time to block
    static constexpr int yields_crowded = 8; ///< the same on a crowded host

    /// A wait that begins. `crowded`: more ranks share this host than it has cores.
    explicit backoff(bool crowded) noexcept
        : spins_left_(crowded ? 0 : spins), yields_left_(crowded ? yields_crowded : yields) {}

    /// Lets a moment pass. False, without any rest: it is time to block.
    [[nodiscard]] bool rest() noexcept {
        if (spins_left_ > 0) {
            --spins_left_;
            detail::pause_core();
            return true;
        }
        if (yields_left_ > 0) {
            --yields_left_;
            std::this_thread::yield();
            return true;
        }
        return false;
    }

private:
    int spins_left_;
    int yields_left_;
};

} // namespace tutti::transport
