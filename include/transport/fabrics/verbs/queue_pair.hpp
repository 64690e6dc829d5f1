// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "rail.hpp"
#include "words.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>

namespace tutti::transport::detail::verbs {

/// The data that two queue pairs exchange, besides the ranks' cards.
struct pair_end {
    std::uint32_t number = 0;
    std::uint32_t first_packet = 0; ///< its first sequence number
    std::uint32_t reads = 0;        ///< of the peer that it answers at a time
};

/// How long a queue pair tries.
struct retry_limits {
    int retries;
    int timeout;
    /// From a packet that is lost to the failure of its queue pair, about.
    [[nodiscard]] std::chrono::nanoseconds whole() const noexcept {
        return std::chrono::nanoseconds{4096LL << timeout} * (retries + 1);
    }
};

/// One end of a reliable connection on one rail, and the count of its send queue: nothing is posted beyond its depth.
/// Requests complete in order; every few are signalled, which completes those before.
class queue_pair {
public:
    static constexpr std::uint32_t most_inline = 512;

    /// A null `shared` stands for a receive queue that is never used. Throws a bootstrap error.
    queue_pair(const rail& on, ibv_srq* shared, std::uint32_t depth, std::uint32_t first_packet)
        : on_(on), first_packet_(first_packet) {
        ibv_qp_init_attr how{};
        how.send_cq = how.recv_cq = on.queue();
        how.srq = shared;
        how.qp_type = IBV_QPT_RC;
        for (std::uint32_t bytes = most_inline;; bytes = bytes > 64 ? bytes / 2 : 0) {
            how.cap = {depth, 1, 2, 1, bytes};
            it_.reset(ibv_create_qp(on.domain(), &how));
            if (it_ || bytes == 0) break;
        }
        if (!it_) on.refuse("gives no queue pair");
        depth_ = std::min(how.cap.max_send_wr, depth);
        inline_bytes_ = how.cap.max_inline_data;
        ibv_qp_attr a{};
        a.qp_state = IBV_QPS_INIT;
        a.port_num = on.port().port;
        // Writes of no bytes, as of unacknowledged(), are all that a peer can write: no memory is registered for more.
        a.qp_access_flags = IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE;
        change(a, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);
    }

    [[nodiscard]] pair_end end() const noexcept {
        return {it_->qp_num, first_packet_, static_cast<std::uint32_t>(std::max(1, on_.facts().max_qp_rd_atom))};
    }
    [[nodiscard]] const rail& on() const noexcept { return on_; }
    [[nodiscard]] std::uint32_t number() const noexcept { return it_->qp_num; }
    [[nodiscard]] std::size_t inline_bytes() const noexcept { return inline_bytes_; }

    /// Connects it to the peer's; `reads` is how many the two may have in flight. Throws a bootstrap error.
    void connect(const rail_card& peer, const pair_end& with, int reads, const retry_limits& how) {
        ibv_qp_attr a{};
        a.qp_state = IBV_QPS_RTR;
        a.path_mtu = std::min(on_.port().mtu, static_cast<ibv_mtu>(peer.mtu));
        a.dest_qp_num = with.number;
        a.rq_psn = with.first_packet;
        a.max_dest_rd_atomic = static_cast<std::uint8_t>(std::clamp(on_.facts().max_qp_rd_atom, 1, 255));
        a.min_rnr_timer = 12;
        a.ah_attr.port_num = on_.port().port;
        a.ah_attr.dlid = peer.lid;
        a.ah_attr.is_global = peer.how != addressing::infiniband;
        a.ah_attr.grh.dgid = peer.gid;
        a.ah_attr.grh.sgid_index = static_cast<std::uint8_t>(on_.port().index);
        a.ah_attr.grh.hop_limit = 64;
        change(a, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
                      IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER);
        a = {};
        a.qp_state = IBV_QPS_RTS;
        a.timeout = static_cast<std::uint8_t>(how.timeout);
        a.retry_cnt = static_cast<std::uint8_t>(how.retries);
        a.rnr_retry = 7;
        a.sq_psn = first_packet_;
        a.max_rd_atomic = static_cast<std::uint8_t>(std::clamp(reads, 1, 255));
        change(a, IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
                      IBV_QP_MAX_QP_RD_ATOMIC);
    }

    /// The most reads in flight that both ends can do.
    [[nodiscard]] int most_reads(const pair_end& with, int wanted) const noexcept {
        return std::clamp(std::min({wanted, on_.facts().max_qp_init_rd_atom, static_cast<int>(with.reads)}), 1, 128);
    }

    /// There is room for another request.
    [[nodiscard]] bool has_room() const noexcept { return posted_ - completed_ < depth_; }
    /// Posts one. Precondition: has_room(). False if the device refuses. `bytes` are lost if it does not arrive.
    [[nodiscard]] bool post(ibv_send_wr& w, std::size_t bytes, bool signal) {
        signal = signal || posted_ + 1 - signalled_ >= std::max(depth_ / 4, 1U);
        ++posted_;
        bytes_ += bytes;
        w.wr_id = posted_;
        if (signal) {
            w.send_flags |= IBV_SEND_SIGNALED;
            signalled_ = posted_;
            marks_.push_back({posted_, bytes_});
        }
        ibv_send_wr* refused = nullptr;
        return ibv_post_send(it_.get(), &w, &refused) == 0;
    }
    /// That request has completed, and all before it.
    void completed(std::uint64_t request) noexcept {
        completed_ = std::max(completed_, request);
        while (!marks_.empty() && marks_.front().request <= completed_) {
            arrived_ = marks_.front().bytes;
            marks_.pop_front();
        }
    }
    [[nodiscard]] std::uint64_t last_posted() const noexcept { return posted_; }

    /// Bytes of requests that the peer has not acknowledged. Has the last of them signalled.
    [[nodiscard]] std::size_t unacknowledged() {
        if (signalled_ < posted_ && has_room()) {
            ibv_send_wr nothing{};
            nothing.opcode = IBV_WR_RDMA_WRITE; // of no bytes: comes after all others, and takes nothing there
            static_cast<void>(post(nothing, 0, true));
        }
        if (completed_ == posted_) return 0;
        return std::max<std::size_t>(bytes_ - arrived_, 1);
    }

    /// All that is posted is flushed, and nothing of the peer's comes any more.
    void stop() noexcept {
        ibv_qp_attr a{};
        a.qp_state = IBV_QPS_ERR;
        static_cast<void>(ibv_modify_qp(it_.get(), &a, IBV_QP_STATE));
    }

private:
    void change(ibv_qp_attr& a, int what) {
        if (const int code = ibv_modify_qp(it_.get(), &a, what)) {
            errno = code;
            on_.refuse("cannot connect a queue pair");
        }
    }

    struct mark {
        std::uint64_t request;
        std::size_t bytes;
    };

    const rail& on_;
    std::uint32_t first_packet_;
    owned<ibv_qp> it_;
    std::uint32_t depth_ = 0;
    std::size_t inline_bytes_ = 0;
    std::uint64_t posted_ = 0;    // requests
    std::uint64_t completed_ = 0; // of them
    std::uint64_t signalled_ = 0; // the last one that is
    std::size_t bytes_ = 0;       // posted
    std::size_t arrived_ = 0;     // of them
    std::deque<mark> marks_;      // signalled requests under way
};

} // namespace tutti::transport::detail::verbs
