// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "fake_cuda.hpp"

#include <transport/contract/stream_runtime.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <thread>

namespace tutti::test {

/// The tests' CUDA with what stream-ordered calls ask besides. A stream that awaits a word for a minute ends the
/// process.
class fake_cuda_streams : public fake_cuda {
public:
    using fake_cuda::fake_cuda;
    using native_stream = stream*;

    [[nodiscard]] native_stream native(stream& s) const noexcept { return &s; }
    void copy_on(std::byte* to, const std::byte* from, std::size_t size, native_stream in) const {
        copy(to, from, size, *in);
    }
    void record_on(event& e, native_stream in) const { record(e, *in); }
    void await_event(const event& e, native_stream in) const {
        in->put([this_event = e] { wait_until([&] { return fake_cuda(0).is_done(this_event); }); });
    }
    [[nodiscard]] std::byte* map(std::byte* p, std::size_t size) const {
        if (!maps()) throw transport::device_error("host memory cannot be mapped");
        const std::lock_guard lock(mutex());
        pinned()[p] = size;
        return p;
    }
    void unmap(std::byte* p) const noexcept {
        const std::lock_guard lock(mutex());
        pinned().erase(p);
    }
    void store_on(std::uint64_t* word, std::uint64_t value, native_stream in) const {
        in->put([=] { std::atomic_ref(*word).store(value, std::memory_order_release); });
    }
    void await_word(std::uint64_t* word, std::uint64_t value, native_stream in) const {
        in->put([=] {
            wait_until([&] {
                const std::uint64_t now = std::atomic_ref(*word).load(std::memory_order_acquire);
                return static_cast<std::int64_t>(now - value) >= 0;
            });
        });
    }
    [[nodiscard]] bool orders_by_words() const noexcept { return has_words(); }
    [[nodiscard]] std::uint64_t capture_of(native_stream) const noexcept { return capture(); }
    [[nodiscard]] transport::device_identity identity() const noexcept {
        transport::device_identity id{};
        id[0] = static_cast<std::byte>(1 + number());
        return id;
    }

    /// Whether this process' streams can wait for words.
    [[nodiscard]] static bool& has_words() noexcept {
        static bool has = true;
        return has;
    }
    /// Whether this thread can map host memory.
    [[nodiscard]] static bool& maps() noexcept {
        static thread_local bool can = true;
        return can;
    }
    /// The capture that this thread's streams record into; the work is done at once all the same.
    [[nodiscard]] static std::uint64_t& capture() noexcept {
        static thread_local std::uint64_t number = 0;
        return number;
    }

private:
    template <class Holds>
    static void wait_until(const Holds& holds) {
        const auto until = std::chrono::steady_clock::now() + std::chrono::minutes{1};
        while (!holds()) {
            if (std::chrono::steady_clock::now() >= until) {
                std::fprintf(stderr, "fake_cuda_streams: a stream waits for a minute\n");
                std::abort();
            }
            std::this_thread::sleep_for(std::chrono::microseconds{20});
        }
    }
};

static_assert(transport::stream_runtime<fake_cuda_streams>);

} // namespace tutti::test
