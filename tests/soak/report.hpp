// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "support/account.hpp"

#include <sys/mman.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <new>

namespace tutti::soak {

using test::moment;

/// A tutti::error as a rank got it.
struct failure {
    cause why = cause::invalid_argument;
    int peer = -1;
    int step = -1;   ///< of the plan; -1: at the rendezvous
    int family = -1; ///< on which communicator
    moment called;   ///< when the call began that threw it
    moment told;
    test::words message;
};

/// What a rank says of itself, in memory that it shares with the launcher and the others. Written by that rank alone;
/// `failed` and `over` are raised with release after what they announce.
struct report {
    std::atomic<int> step{-1};        ///< that it has begun last
    std::atomic<int> calls{0};        ///< that have returned
    std::atomic<int> held_up_ms{0};   ///< the longest, in one step, that it waited for a processor
    std::atomic<bool> failed{false};  ///< `first` is there
    std::atomic<bool> done{false};    ///< it has come to the end of the plan
    std::atomic<bool> over{false};    ///< it makes no call any more; `ended` is there
    std::atomic<bool> outside{false}; ///< it has destroyed its communicators; `left` is there
    failure first;
    moment ended, left;
    int wrong = 0;           ///< results that are not as they should be
    test::words first_wrong; ///< which
    test::words surprise;    ///< any other exception
    test::words aftermath;   ///< what went wrong after the first error
};

/// The reports of all ranks, in one shared mapping.
template <class T, std::size_t most>
class shared_array {
public:
    shared_array() {
        void* where = ::mmap(nullptr, sizeof(all), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (where == MAP_FAILED) throw std::bad_alloc();
        all_ = ::new (where) all;
    }
    shared_array(const shared_array&) = delete;
    shared_array& operator=(const shared_array&) = delete;
    ~shared_array() { ::munmap(all_, sizeof(all)); }

    [[nodiscard]] T& of(int i) const { return all_->each.at(static_cast<std::size_t>(i)); }

private:
    struct all {
        std::array<T, most> each;
    };
    all* all_;
};

inline constexpr int most_ranks = 8;
using reports = shared_array<report, most_ranks>;

} // namespace tutti::soak
