// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <infiniband/verbs.h>

#include <dlfcn.h>

#include <atomic>
#include <cstdint>

/// Counts what a program asks of its RDMA devices, whoever asks: ibv_open_device is interposed, and the device's
/// functions with it. For a program of one source file. All ranks that are threads of it count together.
namespace tutti::test::device {

// Added to by any thread, read after the threads have met.
inline std::atomic<std::uint64_t> doorbells, sends, inlined, reads, signalled, refills, refilled, completions;

inline std::atomic<bool> counting = false;

/// From here on, until `counting` is false again.
inline void count_anew() {
    for (auto* n : {&doorbells, &sends, &inlined, &reads, &signalled, &refills, &refilled, &completions}) n->store(0);
    counting = true;
}

inline ibv_context_ops real{};

inline int post_send(ibv_qp* qp, ibv_send_wr* first, ibv_send_wr** bad) {
    const std::uint64_t one = counting ? 1 : 0;
    doorbells += one;
    for (const ibv_send_wr* w = first; w; w = w->next) {
        (w->opcode == IBV_WR_RDMA_READ ? reads : sends) += one;
        if (w->send_flags & IBV_SEND_INLINE) inlined += one;
        if (w->send_flags & IBV_SEND_SIGNALED) signalled += one;
    }
    return real.post_send(qp, first, bad);
}
inline int post_srq_recv(ibv_srq* queue, ibv_recv_wr* first, ibv_recv_wr** bad) {
    const std::uint64_t one = counting ? 1 : 0;
    refills += one;
    for (const ibv_recv_wr* w = first; w; w = w->next) refilled += one;
    return real.post_srq_recv(queue, first, bad);
}
inline int poll_cq(ibv_cq* queue, int most, ibv_wc* done) {
    const int count = real.poll_cq(queue, most, done);
    if (count > 0 && counting) completions += static_cast<std::uint64_t>(count);
    return count;
}

} // namespace tutti::test::device

extern "C" inline ibv_context* counted_open(ibv_device* which) {
    using open = ibv_context* (*)(ibv_device*);
    static const auto next = reinterpret_cast<open>(::dlsym(RTLD_NEXT, "ibv_open_device"));
    ibv_context* const opened = next(which);
    if (!opened) return opened;
    namespace d = tutti::test::device;
    if (!d::real.post_send) d::real = opened->ops; // the same for all devices of one driver
    opened->ops.post_send = d::post_send;
    opened->ops.post_srq_recv = d::post_srq_recv;
    opened->ops.poll_cq = d::poll_cq;
    return opened;
}
