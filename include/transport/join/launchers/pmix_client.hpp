// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../../base/linkage.hpp"
#include "environment.hpp"
#include "pmix_library.hpp"

#include <chrono>
#include <condition_variable>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include <unistd.h>

namespace tutti::transport::bootstrap::detail::pmix {

using moment = std::chrono::steady_clock::time_point;

/// What a call that does not block comes to. The library's own thread writes it once, the rank waits for it; the mutex
/// orders both. It lives until both have let go: a call that never ends may still hold it.
class answer : public std::enable_shared_from_this<answer> {
public:
    answer() = default;
    /// The library may look at the key until it has answered.
    explicit answer(std::string of) : key(std::move(of)) {}
    const std::string key;

    /// For the library to hand back to finish(). Exactly one of finish() and forget() takes it.
    [[nodiscard]] void* lend() { return new std::shared_ptr<answer>(shared_from_this()); }
    static void forget(void* own) { delete static_cast<std::shared_ptr<answer>*>(own); }

    static void finish(void* own, status s, std::string text) {
        const std::unique_ptr<std::shared_ptr<answer>> held(static_cast<std::shared_ptr<answer>*>(own));
        {
            const std::lock_guard lock((*held)->mutex_);
            (*held)->came_ = {s, std::move(text)};
        }
        (*held)->ready_.notify_all();
    }

    /// Nothing where it did not come in time.
    [[nodiscard]] std::optional<std::pair<status, std::string>> wait(moment until) {
        std::unique_lock lock(mutex_);
        ready_.wait_until(lock, until, [this] { return came_.has_value(); });
        return came_;
    }

private:
    std::mutex mutex_;
    std::condition_variable ready_;
    std::optional<std::pair<status, std::string>> came_;
};

/// A server of PMIx has given this process a place.
[[nodiscard]] inline bool present() { return is_set("PMIX_NAMESPACE") && is_set("PMIX_RANK"); }

/// This process's use of its launcher's key-value space by PMIx. MPI may use PMIx as well, before and after: PMIx
/// counts who has begun it. An MPI_Init after the last PMIx_Finalize fails, so that is called when the process exits.
class client {
public:
    [[nodiscard]] static client& of_this_process() {
        static client one;
        return one;
    }

    /// Rank 0 passes its offer and the others nothing; all get it. All ranks must make as many calls, in one order.
    TUTTI_COLD std::string exchange(int rank, const std::string& offered, moment until) {
        const std::lock_guard lock(mutex_);
        begin();
        const auto key = "tutti-" + std::to_string(++calls_);
        if (rank == 0) put(key, offered);
        fence(until);
        return rank == 0 ? offered : get(key, until);
    }

    client(const client&) = delete;
    client& operator=(const client&) = delete;
    ~client() {
        if (begun_ && ::getpid() == process_) functions_->finalize(nullptr, 0); // a child that exits is not the rank
    }

private:
    client() = default;

    void begin() {
        if (begun_) return;
        if (!present())
            bootstrap_failed(
                "PMIX_NAMESPACE or PMIX_RANK is not set: the launcher gives this process no key-value space",
                say_it_yourself);
        if (!functions_) functions_ = library::load();
        examine("PMIx_Init", functions_->init(&self_, nullptr, 0));
        begun_ = true;
        process_ = ::getpid();
    }

    void put(const std::string& key, std::string text) {
        value v;
        v.text = text.data();
        examine("PMIx_Put", functions_->put(to_all, key.c_str(), &v));
        examine("PMIx_Commit", functions_->commit());
    }

    /// All ranks come, and get what any has put.
    TUTTI_COLD void fence(moment until) {
        info collect;
        std::strncpy(collect.key.data(), collect_data, collect.key.size() - 1);
        collect.value.type = value_type::truth;
        collect.value.truth = true;
        const auto done = std::make_shared<answer>();
        void* const own = done->lend();
        const status s = functions_->fence(
            nullptr, 0, &collect, 1, [](status how, void* mine) { answer::finish(mine, how, {}); }, own);
        static_cast<void>(result("PMIx_Fence", s, *done, own, until));
    }

    TUTTI_COLD [[nodiscard]] std::string get(const std::string& key, moment until) {
        process zero = self_;
        zero.rank = 0;
        const auto found = std::make_shared<answer>(key);
        void* const own = found->lend();
        const status s = functions_->get(
            &zero, found->key.c_str(), nullptr, 0,
            [](status how, value* v, void* mine) {
                const bool is_text = how == success && v && v->type == value_type::text && v->text;
                answer::finish(mine, how, is_text ? v->text : std::string());
            },
            own);
        return result("PMIx_Get", s, *found, own, until);
    }

    std::string result(const char* call, status begun, answer& a, void* own, moment until) {
        if (begun != success) answer::forget(own);
        if (begun == done_at_once) return {};
        examine(call, begun);
        const auto came = a.wait(until);
        if (!came)
            bootstrap_failed(std::string(call) + " has not ended in time: not all ranks have come",
                             "look for the first error among all ranks; TUTTI_BOOTSTRAP_TIMEOUT sets how long to wait");
        examine(call, came->first);
        return came->second;
    }

    TUTTI_COLD void examine(const char* call, status s) const {
        if (s == success) return;
        bootstrap_failed(std::string("the launcher's key-value space cannot be used: ") + call + " says " +
                             functions_->words_of(s) + " (" + std::to_string(s) + ")",
                         say_it_yourself);
    }

    std::mutex mutex_;
    std::optional<library> functions_;
    process self_;
    long calls_ = 0;
    bool begun_ = false;
    pid_t process_ = -1;
};

/// For launcher::look_at_exchange.
inline void look() { static_cast<void>(library::load()); }

/// For identity::exchange.
[[nodiscard]] inline auto exchange_of(int rank) {
    return [rank](const std::string& offered, moment until) {
        return client::of_this_process().exchange(rank, offered, until);
    };
}

} // namespace tutti::transport::bootstrap::detail::pmix
