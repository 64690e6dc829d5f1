// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../contract/transport.hpp"
#include "../../sockets/errors.hpp"
#include "card.hpp"
#include "handles.hpp"
#include "port.hpp"
#include "words.hpp"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <system_error>

namespace tutti::transport::detail::verbs {

/// A device that is open, with the one port of it that is used.
class rail {
public:
    /// Throws a bootstrap error.
    explicit rail(candidate where) : where_(std::move(where)), device_(open(where_)) {
        if (ibv_query_device(device_.get(), &facts_) != 0) refuse("cannot be asked what it can do");
        ibv_port_attr port{};
        if (ibv_query_port(device_.get(), where_.port, &port) == 0 && port.max_msg_sz > 0)
            most_bytes_ = port.max_msg_sz;
        domain_.reset(ibv_alloc_pd(device_.get()));
        if (!domain_) refuse("gives no protection domain");
        events_.reset(ibv_create_comp_channel(device_.get()));
        if (!events_) refuse("gives no completion channel");
        do_not_block(events_->fd);
        do_not_block(device_->async_fd);
    }

    /// The queue of all completions of the port. Throws a bootstrap error.
    void make_queue(int entries) {
        queue_.reset(ibv_create_cq(device_.get(), std::min(entries, facts_.max_cqe), nullptr, events_.get(), 0));
        if (!queue_) refuse("gives no completion queue of " + std::to_string(entries) + " entries");
    }

    [[nodiscard]] const candidate& port() const noexcept { return where_; }
    [[nodiscard]] const ibv_device_attr& facts() const noexcept { return facts_; }
    [[nodiscard]] ibv_pd* domain() const noexcept { return domain_.get(); }
    [[nodiscard]] ibv_cq* queue() const noexcept { return queue_.get(); }
    [[nodiscard]] int completions() const noexcept { return events_->fd; }
    [[nodiscard]] int faults() const noexcept { return device_->async_fd; }
    [[nodiscard]] bool is_software() const noexcept { return where_.device.starts_with("rxe"); }
    [[nodiscard]] rail_card card() const {
        return {where_.how, where_.gid, where_.lid, static_cast<std::uint8_t>(where_.mtu), where_.device};
    }

    /// The next completion makes completions() readable.
    [[nodiscard]] bool request_event() noexcept { return ibv_req_notify_cq(queue_.get(), 0) == 0; }
    /// completions() is not readable any more.
    void take_events() noexcept {
        ibv_cq* queue = nullptr;
        void* mine = nullptr;
        unsigned taken = 0;
        while (ibv_get_cq_event(events_.get(), &queue, &mine) == 0) ++taken;
        if (taken > 0) ibv_ack_cq_events(queue_.get(), taken);
    }
    /// Hands the events of the device, its port and its queue pairs to `use(event)`, one at a time.
    template <class Use>
    void take_faults(Use&& use) {
        ibv_async_event e{};
        while (ibv_get_async_event(device_.get(), &e) == 0) {
            use(e);
            ibv_ack_async_event(&e);
        }
    }
    /// The port has reported a fault, which may be why a link breaks; at that time it is taken for lost.
    void remember_fault(std::string words, clock::time_point given_up_at) {
        fault_ = std::move(words);
        given_up_at_ = given_up_at;
        gid_is_lost_ = false;
    }
    /// The port's GIDs have changed. If the one that this rank has told its peers is lost, that is such a fault; if it
    /// is back, the fault is over.
    void check_gid(std::string words, clock::time_point given_up_at) {
        if (!has_gid()) {
            remember_fault(std::move(words), given_up_at);
            gid_is_lost_ = true;
        } else if (gid_is_lost_) {
            forget_fault();
        }
    }
    void forget_fault() noexcept {
        fault_.clear();
        gid_is_lost_ = false;
        give_up();
    }
    void give_up() noexcept { given_up_at_ = clock::time_point::max(); }
    [[nodiscard]] const std::string& fault() const noexcept { return fault_; }
    [[nodiscard]] clock::time_point given_up_at() const noexcept { return given_up_at_; }
    /// The GID that this rank has told its peers is still the port's.
    [[nodiscard]] bool has_gid() const noexcept {
        ibv_gid now{};
        return ibv_query_gid(device_.get(), where_.port, where_.index, &now) == 0 &&
               std::memcmp(now.raw, where_.gid.raw, sizeof now.raw) == 0;
    }
    /// Bytes of the longest read.
    [[nodiscard]] std::size_t most_bytes() const noexcept { return most_bytes_; }

    [[noreturn]] void refuse(const std::string& what) const {
        const int code = errno;
        bootstrap::bootstrap_failed(
            "RDMA device " + where_.device + " " + what + ": " + std::generic_category().message(code),
            code == ENOMEM ? "locked memory is " + words_of_limit() + "; raise it (ulimit -l unlimited)"
                           : std::string());
    }

private:
    [[nodiscard]] static owned<ibv_context> open(const candidate& where) {
        int count = 0;
        const device_list devices(ibv_get_device_list(&count));
        for (int i = 0; i < count; ++i) {
            ibv_device* const d = devices[static_cast<std::size_t>(i)];
            if (ibv_get_device_name(d) != where.device) continue;
            if (owned<ibv_context> opened{ibv_open_device(d)}) return opened;
        }
        bootstrap::bootstrap_failed("RDMA device " + where.device +
                                    " cannot be opened: " + std::generic_category().message(errno));
    }
    static void do_not_block(int descriptor) noexcept {
        ::fcntl(descriptor, F_SETFL, ::fcntl(descriptor, F_GETFL) | O_NONBLOCK);
    }

    candidate where_;
    owned<ibv_context> device_; // goes last
    ibv_device_attr facts_{};
    owned<ibv_pd> domain_;
    owned<ibv_comp_channel> events_;
    owned<ibv_cq> queue_;
    std::size_t most_bytes_ = 1 << 20;
    std::string fault_;
    clock::time_point given_up_at_ = clock::time_point::max();
    bool gid_is_lost_ = false; ///< the fault is that
};

} // namespace tutti::transport::detail::verbs
