// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../world/busy_channels.hpp"
#include "../device/own_device.hpp"
#include "channel.hpp"
#include "described.hpp"

#include <unistd.h>

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tutti::transport::detail::cuda {

/// A rank's device memory and its channels to the other ranks of its host. A fabric of shared memory carries what is
/// small and what must be heard at once. It has the bells and the flow control, and it sees that a peer is gone.
template <device_runtime R>
class fabric {
public:
    using channel = cuda::channel<R>;

    /// Throws a bootstrap error where there is no such device.
    explicit fabric(const cuda_ipc_limits& limits)
        : device_(limits.device, "transport::shared_memory"), all_(device_.runtime) {}
    fabric(const fabric&) = delete;
    fabric& operator=(const fabric&) = delete;
    ~fabric() {
        try {
            all_.runtime.use();         // for the frees below, on any thread
        } catch (const device_error&) { // then nothing of it works any more
        }
        while (!ends_.empty()) close(ends_.begin()->first.first);
        if (all_.pinned.is_left()) all_.leave();
    }

    [[nodiscard]] std::vector<std::byte> card() const { return all_.shared.card(); }
    [[nodiscard]] static bool reaches(const fabric_end& a, const fabric_end& b) noexcept {
        return shm::fabric::reaches(a, b);
    }
    [[nodiscard]] static std::string why_not(const fabric_end& a, const fabric_end& b) {
        return shm::fabric::why_not(a, b);
    }
    [[nodiscard]] static std::string name_of(const bootstrap::member& m) { return shm::fabric::name_of(m); }
    void sleep_by_descriptor() { all_.shared.sleep_by_descriptor(); }
    void join(const joined_world& w) {
        access_ = std::make_unique<std::atomic<access>[]>(w.table.members.size());
        for (const auto& m : w.table.members) {
            names_.push_back(name_of(m));
            if (m.pid == ::getpid()) access_of(m.rank) = access::direct; // a thread of this process
        }
        all_.shared.join(w);
    }
    /// Any thread.
    [[nodiscard]] std::string way_to(int peer) const {
        const bool staged = access_of(peer).load(std::memory_order_relaxed) == access::staged;
        return names_[static_cast<std::size_t>(peer)] + (staged ? ", device memory through pinned host memory" : "");
    }

    [[nodiscard]] channel* open(context k, int other) {
        const auto known = ends_.find({k, other});
        if (known != ends_.end()) return known->second.get();
        busy_.reserve(ends_.size() + 1);
        auto& stream = streams_[other];
        if (!stream) {
            all_.runtime.use(); // throws, like all here, to the caller of the collective
            if (access_of(other).load(std::memory_order_relaxed) == access::unknown) all_.probe.make();
            stream = std::make_unique<typename R::stream>(all_.runtime.make_stream());
        }
        shm::channel& through = *all_.shared.open(k, other);
        return ends_.try_emplace({k, other}, std::make_unique<channel>(all_, through, *stream, access_of(other)))
            .first->second.get();
    }

    /// Any thread. Device memory that peers read where it lies. Throws device_error.
    [[nodiscard]] std::shared_ptr<std::byte> allocate(std::size_t bytes) { return all_.memory->allocate(bytes); }

    /// Any thread. Peers read these bytes of the user's where they lie, as what allocate() gives.
    void register_memory(std::byte* p, std::size_t bytes) {
        if (bytes == 0) return;
        if (!is_on_device(p)) reject("register_memory", "the memory is not a GPU's");
        all_.memory->add(p, bytes);
    }

    /// Throws device_error.
    [[nodiscard]] bool is_on_device(const std::byte* p) const { return device_.is_on_device(p); }

    void send(channel& h, transfer& x) {
        device_.attempt([&] { h.out.send(x); });
        busy_.list(h);
        settle();
    }
    void receive(channel& h, transfer& x) {
        device_.attempt([&] { h.in.receive(x); });
        settle();
    }
    bool progress() {
        bool moved = all_.shared.progress();
        device_.attempt([&] { moved = busy_.advance() || moved; });
        return settle() || moved;
    }

    void close(context k) {
        const auto first = ends_.lower_bound({k, 0});
        auto last = first;
        const auto until = clock::now() + device::longest_copy;
        bool stopped = true;
        for (; last != ends_.end() && last->first.first == k; ++last) {
            busy_.forget(*last->second);
            stopped = last->second->stop(until) && stopped;
        }
        if (!stopped) device_.fail("its GPU does not end a copy");
        all_.shared.close(k);
        ends_.erase(first, last);
        if (!stopped) all_.pinned.leave(); // a copy may still use what the channels had
    }

    [[nodiscard]] bool ready() {
        bool any = all_.shared.ready();
        device_.attempt([&] { any = any || busy_.any([](channel& h) { return h.ready(); }); });
        return any;
    }
    [[nodiscard]] bool arm() { return all_.shared.arm(); }
    void disarm() noexcept { all_.shared.disarm(); }
    [[nodiscard]] int descriptor() const noexcept { return all_.shared.descriptor(); }
    [[nodiscard]] clock::time_point due() const {
        const bool copies = !device_.has_failed() && busy_.any([](channel& h) { return h.copies(); });
        return copies ? clock::now() + device::look_at_copies : clock::time_point::max();
    }

    void finish() noexcept { all_.shared.finish(); }
    /// A send is complete when its message was read, or lies in memory that stays mapped at its receivers.
    [[nodiscard]] static std::size_t untaken(int) noexcept { return 0; }

    [[nodiscard]] std::optional<std::string> broken(int other) {
        for (const auto& [where, end] : ends_) {
            if (where.second != other) continue;
            if (!end->in.broken().empty()) return end->in.broken();
            if (end->in.receives() && !device_.has_failed())
                return std::nullopt; // arrived messages are delivered first
        }
        return all_.shared.broken(other);
    }
    /// The resource that this rank lacks, for any peer.
    [[nodiscard]] std::optional<std::string> shortage() const {
        return device_.shortage() ? device_.shortage() : all_.shared.shortage();
    }
    void blame(const culprit& by) noexcept { all_.shared.blame(by); }
    [[nodiscard]] culprit blamed_by(int peer) const noexcept { return all_.shared.blamed_by(peer); }

private:
    /// Acts on the inner transfers that have ended, which may start more of them. True if there were any.
    bool settle() {
        bool any = false;
        while (transfer* const x = all_.ended.pop()) {
            any = true;
            auto& e = static_cast<inner_transfer<R>&>(*x);
            channel& h = *e.of;
            device_.attempt([&] {
                h.ended(e);
                h.out.advance(); // messages that waited for it
            });
            busy_.list(h);
        }
        return any;
    }

    [[nodiscard]] std::atomic<access>& access_of(int peer) const noexcept {
        return access_[static_cast<std::size_t>(peer)];
    }

    device::own_device<R> device_;
    resources<R> all_;
    std::unique_ptr<std::atomic<access>[]> access_;              ///< by rank
    std::vector<std::string> names_;                             ///< by rank
    std::map<int, std::unique_ptr<typename R::stream>> streams_; ///< by peer
    std::map<std::pair<context, int>, std::unique_ptr<channel>> ends_;
    busy_channels<channel> busy_;
};

} // namespace tutti::transport::detail::cuda
