// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "executor.hpp"

#include <cstddef>
#include <string>

namespace tutti::engine {

/// The work of one run that its executor has. Its transfers come back in a list of their own.
class executor_work {
public:
    /// True: it is done. Passes on exceptions of the executor.
    [[nodiscard]] bool start(executor& by, const local_work& work, transport::transfer& x) {
        if (work.elements == 0) return true;
        x.status = transport::transfer_status::pending;
        x.moved = 0;
        x.owner = &done_;
        if (by.start(work, x)) {
            x.status = transport::transfer_status::done;
            return true;
        }
        ++number_;
        return false;
    }
    /// The same of the operator's last stage, once a run.
    [[nodiscard]] bool start_finish(executor& by, const local_work& work) { return start(by, work, finish_); }
    [[nodiscard]] bool is_finish(const transport::transfer& x) const noexcept { return &x == &finish_; }

    [[nodiscard]] bool progress(executor& by) { return number_ > 0 && by.progress(); }
    /// The next piece that is done; null if none is.
    [[nodiscard]] transport::transfer* pop() noexcept {
        transport::transfer* const x = done_.pop();
        if (x) --number_;
        return x;
    }

    [[nodiscard]] std::size_t number() const noexcept { return number_; }
    [[nodiscard]] bool holds(const transport::transfer& x) const noexcept {
        return x.owner == &done_ && x.status == transport::transfer_status::pending;
    }

    /// Afterwards the executor touches nothing of the run.
    void stop(executor& by) noexcept {
        if (number_ == 0) return;
        by.stop(done_);
        done_.clear();
        number_ = 0;
    }

    /// The message that the executor has thrown; empty if none. The call cannot complete.
    void fail(std::string why) { failure_ = std::move(why); }
    [[nodiscard]] const std::string& failure() const noexcept { return failure_; }

private:
    transport::transfer_queue done_;
    transport::transfer finish_;
    std::size_t number_ = 0; ///< pieces that were started, and not taken back from done_
    std::string failure_;
};

} // namespace tutti::engine
