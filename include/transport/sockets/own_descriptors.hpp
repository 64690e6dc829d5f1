// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/linkage.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <mutex>
#include <vector>

namespace tutti::transport::bootstrap {

/// The sockets of this process that belong to the library. A child made by fork(2) does not keep them: while a child
/// holds a copy of a socket, the kernel does not tell the peers that the parent has died. Close-on-exec alone helps
/// only where the child runs another program.
///
/// In the child /dev/null takes their place. The numbers stay taken, so that a destructor which runs in the child
/// closes nothing of the program's own, and says nothing to the parent's peers. The child of a bare clone(2), for which
/// no handler runs, keeps the sockets.
///
/// Any thread. A fork waits while a descriptor is opened or closed through this class, so the list is never behind.
class TUTTI_SHARED own_descriptors {
public:
    /// The list of this process. It is never destroyed, since static objects may own sockets.
    TUTTI_COLD [[nodiscard]] static own_descriptors& list() {
        static own_descriptors& all = *new own_descriptors;
        return all;
    }

    /// Opens a descriptor by `open()`, which must not block, and lists it if it is one. errno is that of `open`.
    template <class Open>
    [[nodiscard]] int add(Open&& open) {
        const std::lock_guard lock(mutex_);
        const int fd = open();
        const int why = errno;
        if (fd >= 0) enlist(fd);
        errno = why;
        return fd;
    }

    /// Closes a descriptor by `close()`, and takes it off the list if it is there.
    template <class Close>
    void remove(int fd, Close&& close) noexcept {
        const std::lock_guard lock(mutex_);
        const auto place = static_cast<std::size_t>(fd);
        if (place < ours_.size()) ours_[place] = false;
        close();
    }

private:
    TUTTI_COLD void enlist(int fd) {
        const auto place = static_cast<std::size_t>(fd);
        try {
            if (place >= ours_.size()) ours_.resize(place + 1, false);
        } catch (...) {
            ::close(fd);
            throw;
        }
        ours_[place] = true;
    }
    own_descriptors() {
        ::pthread_atfork([] { list().mutex_.lock(); }, [] { list().mutex_.unlock(); },
                         [] {
                             list().give_up();
                             list().mutex_.unlock();
                         });
    }

    /// In the child. Calls only functions that are safe after a fork in a process with threads.
    void give_up() noexcept {
        int nothing = -1;
        for (std::size_t i = 0; i < ours_.size(); ++i) {
            if (!ours_[i]) continue;
            const int fd = static_cast<int>(i);
            if (nothing >= 0) {
                ::dup3(nothing, fd, O_CLOEXEC);
                continue;
            }
            ::close(fd); // first, since a process may have no descriptor to spare
            nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
            if (nothing >= 0 && nothing != fd) nothing = moved(nothing, fd);
        }
    }
    static int moved(int from, int to) noexcept {
        ::dup3(from, to, O_CLOEXEC);
        ::close(from);
        return to;
    }

    std::mutex mutex_;
    std::vector<bool> ours_; // by descriptor
};

} // namespace tutti::transport::bootstrap
