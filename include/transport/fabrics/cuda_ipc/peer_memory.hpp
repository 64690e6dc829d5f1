// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../contract/device_runtime.hpp"
#include "probe.hpp"
#include "record.hpp"

#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <map>
#include <utility>

namespace tutti::transport::detail::cuda {

/// Regions of other processes' slabs, opened when they are first needed. Regions of this process, whose ranks are
/// threads, are reached as they are: CUDA opens no handle of its own process.
template <device_runtime R>
class peer_memory {
public:
    static_assert(sizeof(typename R::handle) <= sizeof(record::handle));

    peer_memory(const R& runtime, device::kept_pinned<R>& pinned) noexcept : runtime_(runtime), pinned_(pinned) {}
    peer_memory(const peer_memory&) = delete;
    peer_memory& operator=(const peer_memory&) = delete;
    ~peer_memory() {
        for (const auto& [which, start] : open_) runtime_.close(start);
    }

    /// The trial of the peer that asks, begun with its first question. Throws device_lost.
    [[nodiscard]] peer_trial<R>& trial(const record& question) {
        return trials_.try_emplace({question.process, question.region}, runtime_, pinned_, question).first->second;
    }

    /// Where the part lies that the record tells of. Throws device_error.
    [[nodiscard]] const std::byte* reach(const record& r) {
        if (r.process == ::getpid()) return reinterpret_cast<const std::byte*>(r.address) + r.offset;
        const auto known = open_.find({r.process, r.region});
        if (known != open_.end()) return known->second + r.offset;
        typename R::handle handle;
        std::memcpy(&handle, r.handle.data(), sizeof handle);
        const auto place = open_.try_emplace({r.process, r.region}, nullptr).first;
        try {
            place->second = runtime_.open(handle);
        } catch (...) {
            open_.erase(place);
            throw;
        }
        return place->second + r.offset;
    }

    /// In the copy of a rank that a child made by fork(2) has, nothing is closed.
    void forget() {
        open_.clear();
        static_cast<void>(new auto(std::move(trials_))); // never freed
    }

private:
    R runtime_;
    device::kept_pinned<R>& pinned_;
    std::map<std::pair<std::int32_t, std::uint64_t>, std::byte*> open_;      ///< by process and region
    std::map<std::pair<std::int32_t, std::uint64_t>, peer_trial<R>> trials_; ///< by process and region of the probe
};

} // namespace tutti::transport::detail::cuda
