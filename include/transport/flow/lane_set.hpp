// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../sockets/errors.hpp"
#include "scatter_read.hpp"

#include <poll.h>
#include <sys/epoll.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>

namespace tutti::transport::detail::tcp {

/// The sockets of all lanes behind one descriptor, epoll(7): to wait for them costs the same however many there are.
class lane_set {
public:
    /// Which lane of which peer.
    struct name {
        std::uint32_t peer;
        std::uint32_t lane;
    };

    lane_set() : all_(bootstrap::descriptor::unshared([] { return ::epoll_create1(EPOLL_CLOEXEC); })) {
        if (!all_)
            bootstrap::bootstrap_failed("this process cannot make an epoll descriptor: " +
                                        bootstrap::reason_in_words(errno));
    }

    /// Readable while one of them has an event that it is watched for.
    [[nodiscard]] int descriptor() const noexcept { return all_.get(); }

    /// Watches a socket for other events of poll(2) than before; 0: not at all, not even for its end. False where the
    /// system has no memory for it: nothing has changed then.
    bool watch(int descriptor, short before, short events, name whose) noexcept {
        epoll_event e{};
        e.events = static_cast<std::uint32_t>(events); // EPOLLIN and EPOLLOUT are POLLIN and POLLOUT
        e.data.u64 = std::uint64_t{whose.peer} << 32 | whose.lane;
        const int change = before == 0 ? EPOLL_CTL_ADD : events == 0 ? EPOLL_CTL_DEL : EPOLL_CTL_MOD;
        return ::epoll_ctl(all_.get(), change, descriptor, &e) == 0;
    }

    /// Calls `use(name)` for those that are ready; of very many, for some of them.
    template <class Use>
    void each_ready(Use&& use) const {
        std::array<epoll_event, 64> ready;
        const int count = ::epoll_wait(all_.get(), ready.data(), static_cast<int>(ready.size()), 0);
        for (int i = 0; i < count; ++i) {
            const std::uint64_t whose = ready[static_cast<std::size_t>(i)].data.u64;
            use(name{static_cast<std::uint32_t>(whose >> 32), static_cast<std::uint32_t>(whose)});
        }
    }

private:
    bootstrap::descriptor all_;
};

} // namespace tutti::transport::detail::tcp
