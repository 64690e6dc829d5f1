// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <base/error.hpp>

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <new>
#include <string>
#include <string_view>

namespace tutti::test {

using moment = std::chrono::steady_clock::time_point; // one clock for all processes of a host

/// Words of bounded length that need no memory of their own.
class words {
public:
    words& operator=(std::string_view text) noexcept {
        length_ = std::min(text.size(), text_.size());
        std::copy_n(text.data(), length_, text_.data());
        return *this;
    }
    [[nodiscard]] std::string str() const { return {text_.data(), length_}; }
    [[nodiscard]] bool empty() const noexcept { return length_ == 0; }

private:
    std::size_t length_ = 0;
    std::array<char, 2000> text_{};
};

/// A tutti::error as a rank got it.
struct received_error {
    cause why = cause::invalid_argument;
    int peer = -1;
    words message;
    words operation;
    moment called; ///< when the call began that threw it
    moment told;   ///< when it threw
};

/// What one rank says of itself, in memory that it shares with the test and that outlives it. Written by that rank
/// alone. Each counter is raised with release after what it announces, and read with acquire.
struct account {
    std::atomic<int> stage{0}; ///< how far it has come; the test says what the numbers mean
    std::atomic<int> calls{0}; ///< collectives that have returned
    std::atomic<int> errors{0};
    std::array<received_error, 2> error; ///< the first `errors` of them are there
    words note;                          ///< whatever the test wants to know; see stage
    words complaint;                     ///< why the rank is not as it should be; read when it has ended

    void add(const tutti::error& e, moment called, moment told) {
        const auto n = static_cast<std::size_t>(errors.load(std::memory_order_relaxed));
        if (n == error.size()) return;
        auto& r = error[n];
        r.why = e.why();
        r.peer = e.facts().peer;
        r.message = e.what();
        r.operation = e.facts().operation;
        r.called = called;
        r.told = told;
        errors.store(static_cast<int>(n + 1), std::memory_order_release);
    }
};

/// The accounts of all ranks, in one shared mapping.
class accounts {
public:
    static constexpr std::size_t most = 16;

    accounts() {
        void* where = ::mmap(nullptr, sizeof(all), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (where == MAP_FAILED) throw std::bad_alloc();
        all_ = ::new (where) all;
    }
    accounts(const accounts&) = delete;
    accounts& operator=(const accounts&) = delete;
    ~accounts() { ::munmap(all_, sizeof(all)); }

    [[nodiscard]] account& of(int rank) const { return all_->each.at(static_cast<std::size_t>(rank)); }

private:
    struct all {
        std::array<account, most> each;
    };
    all* all_;
};

} // namespace tutti::test
