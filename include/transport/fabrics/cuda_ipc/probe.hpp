// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../device/copy.hpp"
#include "../device/kept.hpp"
#include "../device/own_device.hpp"
#include "record.hpp"
#include "slab.hpp"

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <tuple>
#include <utility>

/// Whether a rank can copy from a peer's device memory is not believed but tried: the peer tells which bytes lie in its
/// *probe*, and the rank copies them.
namespace tutti::transport::detail::cuda {

inline constexpr std::size_t probe_bytes = 4096;

/// One of the words that follow from a seed, by splitmix64.
[[nodiscard]] constexpr std::uint64_t probe_word(std::uint64_t seed, std::size_t i) noexcept {
    std::uint64_t z = seed + (i + 1) * 0x9e3779b97f4a7c15U;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
}

/// The probe of this rank, in its slab.
template <device_runtime R>
class own_probe {
public:
    own_probe(const R& runtime, device::kept_pinned<R>& pinned, slab<R>& in)
        : runtime_(runtime), pinned_(pinned), slab_(in) {}

    /// Waits for its device, for five seconds at most. Throws device_error.
    void make() {
        if (memory_) return;
        const auto now = static_cast<std::uint64_t>(clock::now().time_since_epoch().count());
        seed_ = probe_word(now, static_cast<std::size_t>(::getpid()));
        auto made = slab_.allocate(probe_bytes);
        fill(made);
        memory_ = std::move(made);
    }
    /// What its bytes follow from.
    [[nodiscard]] std::uint64_t seed() const noexcept { return seed_; }
    /// Precondition: it was made.
    [[nodiscard]] typename slab<R>::place place() const { return *slab_.find(memory_.get(), probe_bytes); }

    /// It stays until the process ends.
    void forget() { static_cast<void>(new std::shared_ptr(std::move(memory_))); }

private:
    void fill(const std::shared_ptr<std::byte>& probe) {
        auto filled = pinned_.take(probe_bytes);
        for (std::size_t i = 0; i < probe_bytes / sizeof seed_; ++i) {
            const std::uint64_t word = probe_word(seed_, i);
            std::memcpy(filled.data() + i * sizeof word, &word, sizeof word);
        }
        auto stream = runtime_.make_stream();
        device::copy<R> work;
        work.start(runtime_, probe.get(), filled.data(), probe_bytes, stream);
        if (!work.await(runtime_, clock::now() + device::longest_copy)) {
            static_cast<void>(new std::tuple(probe, std::move(stream), std::move(filled))); // still in use
            pinned_.leave();
            throw device_error("it does not end a copy");
        }
        pinned_.give_back(std::move(filled));
    }

    R runtime_;
    device::kept_pinned<R>& pinned_;
    slab<R>& slab_;
    std::uint64_t seed_ = 0;
    std::shared_ptr<std::byte> memory_;
};

/// The trial of a peer's probe: opens it, copies it to the host, and compares. It has a stream of its own, since it may
/// never end.
template <device_runtime R>
class peer_trial {
public:
    /// Throws device_lost.
    peer_trial(const R& runtime, device::kept_pinned<R>& pinned, const record& question)
        : runtime_(runtime), pinned_(pinned), seed_(question.signature) {
        typename R::handle handle;
        static_assert(sizeof handle <= sizeof question.handle);
        std::memcpy(&handle, question.handle.data(), sizeof handle);
        attempt([&] {
            probe_ = runtime_.open(handle);
            landing_.emplace(pinned_.take(probe_bytes));
            stream_ = std::make_unique<typename R::stream>(runtime_.make_stream());
            work_.start(runtime_, landing_->data(), probe_ + question.offset, probe_bytes, *stream_);
        });
    }
    peer_trial(const peer_trial&) = delete;
    peer_trial& operator=(const peer_trial&) = delete;
    ~peer_trial() {
        if (is_usable_) return;
        work_.await(runtime_, until_) ? end(false) : leave();
    }

    /// Whether its memory can be used, once that is known. Throws device_lost.
    [[nodiscard]] std::optional<bool> outcome() {
        if (!is_usable_)
            attempt([this] {
                if (work_.has_ended(runtime_)) return end(is_right());
                if (clock::now() >= until_) leave();
            });
        return is_usable_;
    }
    /// outcome() is known, or would find it.
    [[nodiscard]] bool is_over() const noexcept {
        try {
            return is_usable_ || clock::now() >= until_ || work_.is_over(runtime_);
        } catch (const device_error&) {
            return true;
        }
    }

private:
    /// A device that is lost is this rank's own affair; all other errors are an answer.
    template <class Work>
    void attempt(Work work) {
        try {
            work();
        } catch (const device_lost&) {
            throw;
        } catch (const device_error&) {
            work_.may_run() ? leave() : end(false);
        }
    }
    [[nodiscard]] bool is_right() const noexcept {
        for (std::size_t i = 0; i < probe_bytes / sizeof seed_; ++i) {
            std::uint64_t word = 0;
            std::memcpy(&word, landing_->data() + i * sizeof word, sizeof word);
            if (word != probe_word(seed_, i)) return false;
        }
        return true;
    }
    void end(bool is_usable) noexcept {
        stream_.reset();
        if (landing_) pinned_.give_back(std::move(*landing_));
        landing_.reset();
        if (probe_) runtime_.close(std::exchange(probe_, nullptr));
        is_usable_ = is_usable;
    }

    /// A copy may still be under way: what it uses stays until the process ends.
    void leave() noexcept {
        static_cast<void>(stream_.release());
        if (landing_) static_cast<void>(new (std::nothrow) device::pinned_memory<R>(std::move(*landing_)));
        landing_.reset();
        pinned_.leave();
        is_usable_ = false;
    }

    R runtime_;
    device::kept_pinned<R>& pinned_;
    std::uint64_t seed_;
    std::byte* probe_ = nullptr;
    std::optional<device::pinned_memory<R>> landing_;
    std::unique_ptr<typename R::stream> stream_;
    device::copy<R> work_;
    clock::time_point until_ = clock::now() + device::longest_copy;
    std::optional<bool> is_usable_;
};

} // namespace tutti::transport::detail::cuda
