// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../contract/fabric.hpp"
#include "../../world/busy_channels.hpp"
#include "../device/kept.hpp"
#include "channel.hpp"
#include "described.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tutti::transport::detail::staged {

/// A rank's channels over another fabric, which knows of no device: it carries headers and pieces from and to host
/// memory. Copies are started and looked at by whoever drives the transport.
template <class Inner, device_runtime R>
class fabric {
    using inner_fabric = typename Inner::fabric;

public:
    using channel = staged::channel<Inner, R>;

    /// Throws as the inner fabric does.
    static const staged_limits<Inner>& checked(const staged_limits<Inner>& how) {
        if constexpr (requires { inner_fabric::checked(how.inner); }) inner_fabric::checked(how.inner);
        return how;
    }
    /// Throws a bootstrap error where there is no such device.
    explicit fabric(const staged_limits<Inner>& how) : all_(how.device), inner_(how.inner) {}
    fabric(const fabric&) = delete;
    fabric& operator=(const fabric&) = delete;
    ~fabric() {
        while (!ends_.empty()) close(ends_.begin()->first.first);
        if (is_left_) leave();
    }

    [[nodiscard]] std::vector<std::byte> card() const { return inner_.card(); }
    [[nodiscard]] static bool reaches(const fabric_end& a, const fabric_end& b) { return inner_fabric::reaches(a, b); }
    [[nodiscard]] static std::string name_of(const bootstrap::member& m) { return inner_fabric::name_of(m); }
    void join(const joined_world& w) { inner_.join(w); }

    [[nodiscard]] channel* open(context k, int peer) {
        const auto known = ends_.find({k, peer});
        if (known != ends_.end()) return known->second.get();
        if (!all_.through) {
            all_.device.runtime.use(); // throws, like all here, to the caller of the collective
            all_.through = std::make_unique<buffers<R>>(all_.device.runtime);
        }
        busy_.reserve(ends_.size() + 1);
        auto made = std::make_unique<channel>(all_, inner_, *inner_.open(k, peer));
        return ends_.try_emplace({k, peer}, std::move(made)).first->second.get();
    }

    /// Any thread. Zeroed device memory; it may outlive the fabric. Throws device_error.
    [[nodiscard]] std::shared_ptr<std::byte> allocate(std::size_t bytes) const { return memory_->allocate(bytes); }
    /// Throws device_error.
    [[nodiscard]] bool is_on_device(const std::byte* p) const { return all_.device.is_on_device(p); }

    void send(channel& h, transfer& x) {
        all_.device.attempt([&] { h.out.send(x); });
        busy_.list(h);
        settle();
    }
    void receive(channel& h, transfer& x) {
        all_.device.attempt([&] { h.in.receive(x); });
        settle();
    }
    bool progress() {
        bool moved = inner_.progress();
        all_.device.attempt([&] { moved = busy_.advance() || moved; });
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
        if (!stopped) {
            all_.device.fail("its GPU does not end a copy");
            is_left_ = true;
        }
        inner_.close(k);
        ends_.erase(first, last);
    }

    [[nodiscard]] bool arm() {
        const bool moved = inner_.arm();
        return settle() || moved;
    }
    void disarm() { inner_.disarm(); }
    [[nodiscard]] int descriptor() const { return inner_.descriptor(); }
    [[nodiscard]] clock::time_point due() const {
        const bool copies = !all_.device.has_failed() && busy_.any([](channel& h) { return h.copies(); });
        return copies ? std::min(clock::now() + device::look_at_copies, inner_.due()) : inner_.due();
    }

    void finish() { inner_.finish(); }
    [[nodiscard]] std::size_t untaken(int peer) { return inner_.untaken(peer); }

    [[nodiscard]] std::optional<std::string> broken(int peer) {
        for (const auto& [where, end] : ends_) {
            if (where.second != peer) continue;
            if (!end->in.broken().empty()) return end->in.broken();
            if (end->in.copies() && !all_.device.has_failed()) return std::nullopt; // what arrived is delivered first
        }
        auto why = inner_.broken(peer);
        return settle() ? std::nullopt : why; // it may have brought what had arrived
    }
    void blame(const culprit& by)
        requires requires(inner_fabric& f) { f.blame(by); }
    {
        inner_.blame(by);
    }
    [[nodiscard]] culprit blamed_by(int peer) const
        requires requires(const inner_fabric& f) { f.blamed_by(peer); }
    {
        return inner_.blamed_by(peer);
    }
    /// The resource that this rank lacks, for any peer.
    [[nodiscard]] std::optional<std::string> shortage() const {
        if (auto own = all_.device.shortage()) return own;
        if constexpr (requires(const inner_fabric& f) { f.shortage(); }) return inner_.shortage();
        return std::nullopt;
    }

    /// What the inner fabric may have besides, as the table of the concept `fabric` has it.
    /// @{
    void connected(auto&& arrival)
        requires(Inner::needs_sockets)
    {
        inner_.connected(std::forward<decltype(arrival)>(arrival));
        settle();
    }
    [[nodiscard]] bool awaits_connections() const
        requires(Inner::needs_sockets)
    {
        return inner_.awaits_connections();
    }
    void locate(const std::string& address)
        requires requires(inner_fabric& f) { f.locate(address); }
    {
        inner_.locate(address);
    }
    [[nodiscard]] static std::string why_not(const fabric_end& a, const fabric_end& b)
        requires requires { inner_fabric::why_not(a, b); }
    {
        return inner_fabric::why_not(a, b);
    }
    [[nodiscard]] std::string way_to(int peer) const
        requires requires(const inner_fabric& f) { f.way_to(peer); }
    {
        return inner_.way_to(peer);
    }
    [[nodiscard]] bool ready()
        requires requires(inner_fabric& f) { f.ready(); }
    {
        bool any = inner_.ready();
        all_.device.attempt([&] { any = any || busy_.any([](channel& h) { return h.ready(); }); });
        return any;
    }
    void sleep_by_descriptor()
        requires requires(inner_fabric& f) { f.sleep_by_descriptor(); }
    {
        inner_.sleep_by_descriptor();
    }
    /// @}

private:
    /// The memory that copies use stays until the process ends.
    void leave() {
        static_cast<void>(all_.through.release());
        static_cast<void>(new std::shared_ptr(memory_));
    }
    /// Acts on the steps that have ended, which may start more of them. True if there were any.
    bool settle() {
        bool any = false;
        while (transfer* const x = all_.ended.pop()) {
            any = true;
            auto& s = static_cast<step<Inner, R>&>(*x);
            channel& h = *s.of;
            all_.device.attempt([&] { h.ended(s); });
            busy_.list(h);
        }
        return any;
    }

    resources<Inner, R> all_;
    std::shared_ptr<device::kept_device_memory<R>> memory_ =
        std::make_shared<device::kept_device_memory<R>>(all_.device.runtime);
    inner_fabric inner_;
    std::map<std::pair<context, int>, std::unique_ptr<channel>> ends_;
    busy_channels<channel> busy_;
    bool is_left_ = false; ///< a copy is under way that does not end: CUDA may wait for it before it frees any memory
};

} // namespace tutti::transport::detail::staged
