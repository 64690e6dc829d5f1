// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "packet.hpp"

#include <chrono>
#include <cstdint>
#include <future>
#include <optional>

namespace tutti::training::server::detail {

/// Runs one task after the other in a thread, for requests whose workers ask again until it is over. A task owns all
/// that it uses, so its server goes on meanwhile. The destructor waits for it.
class saver {
public:
    /// Has `make()`, a task that returns whether it succeeded, run for this request, unless it has been started. Tells
    /// how it stands.
    template <class Make>
    [[nodiscard]] answer ask(int worker, const packet_head& request, const Make& make) {
        const name mine{worker, request.what, request.sequence};
        if (!task_ || (task_->who.worker == nobody && is_over())) {
            task_.emplace(task{mine, std::async(std::launch::async, make())});
            return answer::later;
        }
        if (task_->who != mine || !is_over()) return answer::later;
        const bool succeeded = task_->result.get();
        task_.reset();
        return succeeded ? answer::done : answer::failed;
    }
    /// That worker will not ask again.
    void forget(int worker) noexcept {
        if (task_ && task_->who.worker == worker) task_->who.worker = nobody;
    }

private:
    static constexpr int nobody = -1;
    struct name {
        int worker;
        action what;
        std::uint64_t save;
        friend bool operator==(const name&, const name&) = default;
    };
    struct task {
        name who;
        std::future<bool> result;
    };

    [[nodiscard]] bool is_over() const {
        return task_->result.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
    }

    std::optional<task> task_;
};

} // namespace tutti::training::server::detail
