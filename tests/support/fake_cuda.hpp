// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "effort.hpp"

#include <transport/contract/device_runtime.hpp>
#include <transport/sockets/socket.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <future>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <utility>

namespace tutti::test {

/// CUDA without a GPU, as strict as the real one and stricter. Device memory is a file that is mapped twice: where its
/// address points nobody may read or write; streams, which are threads, reach it elsewhere. Handles are found through
/// /proc, and a process cannot open its own. What is not allowed ends the process with a sentence.
class fake_cuda {
    struct allocation {
        std::byte* alias = nullptr; ///< the same bytes, where they can be touched
        std::size_t size = 0;
        transport::bootstrap::descriptor file; ///< none where it was opened
        bool opened = false;
        int device = -1; ///< where it was allocated
        int reads = -1;  ///< where it was opened: the label of its process
    };

public:
    static constexpr int devices = 2;

    explicit fake_cuda(int number) : number_(number < 0 ? 0 : number) {
        if (number_ >= devices) throw transport::device_error("there are " + std::to_string(devices) + " devices");
    }

    struct handle {
        std::int32_t process;
        std::int32_t file;
        std::int32_t device;
        std::int32_t owner; ///< the label of its process
        std::uint64_t size;
    };

    /// What becomes of this process's access to memory of other processes.
    enum class access {
        right,
        refused, ///< it cannot be opened
        failing, ///< no copy can be put into a stream
        wrong,   ///< other bytes are read
        endless, ///< copies do not end while the setting lasts
    };
    /// To memory of processes that have that label. Set in the process that reads.
    [[nodiscard]] static std::atomic<access>& access_to(int label) {
        static std::array<std::atomic<access>, 16> settings{};
        return settings.at(static_cast<std::size_t>(label));
    }
    /// By which others tell this process from the rest.
    [[nodiscard]] static std::atomic<int>& label() {
        static std::atomic<int> number{0};
        return number;
    }

    class event {
    public:
        event() = default;

    private:
        friend class fake_cuda;
        struct end {
            std::atomic<bool> is_done{false}; ///< set by the stream's thread, with what it did before
            std::chrono::steady_clock::time_point at;
        };
        std::shared_ptr<end> end_;
    };

    class stream {
    public:
        stream() : state_(std::make_unique<state>()) {
            state_->thread = std::thread([s = state_.get()] { s->serve(); });
        }
        stream(stream&&) = default;
        stream& operator=(stream&&) = delete;
        ~stream() {
            if (!state_) return;
            put({});
            state_->thread.join();
        }
        /// Done when all before it is; an empty one ends the thread.
        void put(std::function<void()> work) {
            {
                const std::lock_guard lock(state_->mutex);
                state_->waiting.push_back(std::move(work));
            }
            state_->changed.notify_one();
        }

    private:
        struct state {
            std::mutex mutex;
            std::condition_variable changed;
            std::deque<std::function<void()>> waiting;
            std::thread thread;
            void serve() {
                for (;;) {
                    std::unique_lock lock(mutex);
                    changed.wait(lock, [this] { return !waiting.empty(); });
                    const auto work = std::move(waiting.front());
                    waiting.pop_front();
                    lock.unlock();
                    if (!work) return;
                    pause();
                    work();
                }
            }
        };
        std::unique_ptr<state> state_;
    };

    [[nodiscard]] int number() const noexcept { return number_; }
    void use() const noexcept { current() = number_; }

    [[nodiscard]] std::byte* allocate(std::size_t size) const {
        require_current();
        transport::bootstrap::descriptor file{::memfd_create("device memory", MFD_CLOEXEC)};
        if (!file || ::ftruncate(file.get(), static_cast<off_t>(size)) != 0)
            throw transport::device_error("out of memory");
        const int number = file.get();
        std::byte* const made = added(number, size, std::move(file), false);
        {
            const std::lock_guard lock(mutex());
            all().at(made).device = number_;
        }
        std::memset(reach(made, size), 0xa5, size); // it may hold anything
        return made;
    }
    void clear(std::byte* p, std::size_t size) const {
        require_current();
        std::memset(reach(p, size), 0, size);
    }
    void free(std::byte* p) const noexcept { remove(p, false); }

    [[nodiscard]] handle handle_of(std::byte* p) const {
        const std::lock_guard lock(mutex());
        const auto at = all().find(p);
        if (at == all().end() || at->second.opened) misused("a handle of what was not allocated here");
        return {::getpid(), at->second.file.get(), number_, label(), at->second.size};
    }
    [[nodiscard]] std::byte* open(const handle& h) const {
        require_current();
        if (h.process == ::getpid()) throw transport::device_error("a handle of this process");
        const std::string path = "/proc/" + std::to_string(h.process) + "/fd/" + std::to_string(h.file);
        transport::bootstrap::descriptor file{::open(path.c_str(), O_RDWR | O_CLOEXEC)};
        if (!file) throw transport::device_error("its process has ended");
        const access how = access_to(h.owner);
        if (how == access::refused) throw transport::device_error("no peer access between these devices");
        if (how == access::wrong) {
            file = transport::bootstrap::descriptor{::memfd_create("other memory", MFD_CLOEXEC)};
            if (!file || ::ftruncate(file.get(), static_cast<off_t>(h.size)) != 0)
                throw transport::device_error("out of memory");
        }
        std::byte* const made = added(file.get(), h.size, {}, true);
        const std::lock_guard lock(mutex());
        all()[made].reads = h.owner;
        return made;
    }
    void close(std::byte* p) const noexcept {
        require_current();
        remove(p, true);
    }

    [[nodiscard]] std::byte* allocate_host(std::size_t size) const {
        require_current();
        auto* const made = new std::byte[size];
        const std::lock_guard lock(mutex());
        pinned()[made] = size;
        return made;
    }
    void free_host(std::byte* p) const noexcept {
        {
            const std::lock_guard lock(mutex());
            if (pinned().erase(p) == 0) misused("pinned memory that is given back twice");
        }
        delete[] p;
    }

    [[nodiscard]] bool is_on_device(const std::byte* p) const {
        require_current();
        const std::lock_guard lock(mutex());
        return found(p, 1) != nullptr;
    }

    [[nodiscard]] std::span<std::byte> allocation_of(std::byte* p) const {
        require_current();
        const std::lock_guard lock(mutex());
        if (!found(p, 1)) throw transport::device_error("that lies in no allocation");
        const auto& [start, what] = *std::prev(all().upper_bound(p));
        if (what.device != number_) throw transport::device_error("it is memory of another device");
        return {const_cast<std::byte*>(start), what.size};
    }

    [[nodiscard]] stream make_stream() const {
        require_current();
        return {};
    }
    [[nodiscard]] event make_event() const {
        require_current();
        return {};
    }
    void copy(std::byte* to, const std::byte* from, std::size_t size, stream& in) const {
        require_current();
        if (copies_until_failure() == 0) throw transport::device_error("the device is lost");
        if (copies_until_failure() > 0) --copies_until_failure();
        const int read = label_of(from);
        if (read >= 0 && access_to(read) == access::failing) throw transport::device_error("the copy fails");
        ++copies();
        in.put([=] {
            while (read >= 0 && access_to(read) == access::endless)
                std::this_thread::sleep_for(std::chrono::milliseconds{1});
            const std::size_t half = size / 2;
            move(reach(to, size), reach(from, size), half);
            pause();
            move(reach(to, size) + half, reach(from, size) + half, size - half);
        });
        if (is_pageable(to, size) || is_pageable(from, size)) finish(in); // as CUDA does
    }
    void record(event& e, stream& in) const {
        require_current();
        e.end_ = std::make_shared<event::end>();
        in.put([end = e.end_] {
            end->at = std::chrono::steady_clock::now();
            end->is_done.store(true, std::memory_order_release);
        });
    }
    [[nodiscard]] bool is_done(const event& e) const {
        return !e.end_ || e.end_->is_done.load(std::memory_order_acquire);
    }
    [[nodiscard]] static event make_timed_event() { return {}; }
    [[nodiscard]] static double microseconds(const event& from, const event& to) {
        return std::chrono::duration<double, std::micro>(to.end_->at - from.end_->at).count();
    }

    /// Where a stream, or a test, touches memory: elsewhere than at its address if it is a device's.
    [[nodiscard]] static std::byte* reach(const std::byte* p, std::size_t size) {
        const std::lock_guard lock(mutex());
        std::byte* const there = found(p, size);
        return there ? there : const_cast<std::byte*>(p);
    }

    /// How many copies were started in this process.
    [[nodiscard]] static std::atomic<long>& copies() {
        static std::atomic<long> number{0};
        return number;
    }
    /// How many of them were from or to pageable memory, so that their caller had to wait.
    [[nodiscard]] static std::atomic<long>& pageable_copies() {
        static std::atomic<long> number{0};
        return number;
    }
    /// So many copies succeed from now on, and all others fail; negative: none does.
    [[nodiscard]] static std::atomic<int>& copies_until_failure() {
        static std::atomic<int> number{-1};
        return number;
    }
    /// Allocations of this process, its own and others', of device memory and pinned.
    [[nodiscard]] static std::size_t allocations() {
        const std::lock_guard lock(mutex());
        return all().size() + pinned().size();
    }

protected:
    [[nodiscard]] static std::mutex& mutex() {
        static std::mutex guard;
        return guard;
    }
    [[nodiscard]] static std::map<const std::byte*, std::size_t>& pinned() {
        static std::map<const std::byte*, std::size_t> memory;
        return memory;
    }

private:
    [[nodiscard]] static std::map<const std::byte*, allocation>& all() {
        static std::map<const std::byte*, allocation> memory; // by the address that the program sees
        return memory;
    }
    /// Of the process whose memory that is; negative: this one's.
    [[nodiscard]] static int label_of(const std::byte* p) {
        const std::lock_guard lock(mutex());
        auto at = all().upper_bound(p);
        if (at == all().begin()) return -1;
        --at;
        return p - at->first < static_cast<std::ptrdiff_t>(at->second.size) ? at->second.reads : -1;
    }
    [[nodiscard]] static bool is_pageable(const std::byte* p, std::size_t size) {
        const std::lock_guard lock(mutex());
        if (found(p, size)) return false;
        const auto after = pinned().upper_bound(p);
        if (after == pinned().begin()) return true;
        const auto& [start, bytes] = *std::prev(after);
        return static_cast<std::size_t>(p - start) + size > bytes;
    }
    static void finish(stream& in) {
        ++pageable_copies();
        std::promise<void> done;
        in.put([&done] { done.set_value(); });
        done.get_future().wait();
    }
    [[nodiscard]] static int& current() {
        static thread_local int number = -1;
        return number;
    }
    void require_current() const {
        if (current() != number_) misused("a thread that has not said which device it uses");
    }

    [[nodiscard]] static std::byte* found(const std::byte* p, std::size_t size) {
        auto at = all().upper_bound(p);
        if (at == all().begin()) return nullptr;
        --at;
        const auto offset = static_cast<std::size_t>(p - at->first);
        if (offset >= at->second.size) return nullptr;
        if (size > at->second.size - offset) misused("a copy beyond the end of an allocation");
        return at->second.alias + offset;
    }
    [[nodiscard]] static std::byte* added(int file, std::size_t size, transport::bootstrap::descriptor own,
                                          bool opened) {
        void* const alias = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        void* const address = ::mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (alias == MAP_FAILED || address == MAP_FAILED) throw transport::device_error("out of memory");
        const std::lock_guard lock(mutex());
        auto* const seen = static_cast<std::byte*>(address);
        all()[seen] = {static_cast<std::byte*>(alias), size, std::move(own), opened, -1};
        return seen;
    }
    static void remove(std::byte* p, bool opened) noexcept {
        const std::lock_guard lock(mutex());
        const auto at = all().find(p);
        if (at == all().end() || at->second.opened != opened) misused("memory that is given back twice");
        ::munmap(at->second.alias, at->second.size);
        ::munmap(p, at->second.size);
        all().erase(at);
    }

    /// ThreadSanitizer is not told: ranks that are threads agree through shared memory that each has mapped elsewhere,
    /// which it does not understand.
    [[gnu::no_sanitize("thread")]] static void move(std::byte* to, const std::byte* from, std::size_t size) {
        if constexpr (!threads_watched) return void(std::memcpy(to, from, size));
        for (std::size_t i = 0; i < size; ++i) static_cast<volatile std::byte*>(to)[i] = from[i];
    }
    /// Now and then a while, so that everything is late once.
    static void pause() {
        static thread_local std::minstd_rand random(
            static_cast<unsigned>(std::hash<std::thread::id>{}(std::this_thread::get_id())));
        if (random() % 8 == 0) std::this_thread::sleep_for(std::chrono::microseconds(random() % 200));
    }
    [[noreturn]] static void misused(const char* what) {
        std::fprintf(stderr, "fake_cuda: %s\n", what);
        std::abort();
    }

    int number_;
};

static_assert(transport::device_runtime<fake_cuda>);

} // namespace tutti::test
