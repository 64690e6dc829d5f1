// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <training/buckets/activity.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tutti::tools {

/// What one rank does in its first steps, by its clock: slices of its own thread, and what became of each bucket.
class step_trace {
public:
    using clock = training::activity::clock;

    /// Records so many steps, by this clock.
    explicit step_trace(std::size_t steps, training::time_source now = clock::now)
        : now_(std::move(now)), left_(steps) {}

    [[nodiscard]] clock::time_point now() const { return now_(); }

    void begin_step(std::size_t number);
    void end_step();
    /// The buckets of a round that is over.
    void add(std::span<const training::activity> round);

    /// Notes the time from its making to its end, if a step is recorded. `of` may be null.
    class slice {
    public:
        /// `what` and `kind` must live as long as the trace: "forward", and the kind of layer of that number.
        slice(step_trace* of, std::string_view what, std::string_view kind = {}, std::size_t number = 0)
            : of_(of && of->is_on_ ? of : nullptr), note_{what, kind, number, {}, {}} {
            if (of_) note_.begin = of_->now();
        }
        slice(const slice&) = delete;
        ~slice() {
            if (of_) of_->keep(note_);
        }
        /// Notes the time from `begin` until now.
        static void since(clock::time_point begin, step_trace* of, std::string_view what) {
            if (of && of->is_on_) of->keep({what, {}, 0, begin, {}});
        }

    private:
        friend step_trace;
        struct note {
            std::string_view what, kind;
            std::size_t number;
            clock::time_point begin, end;
        };

        step_trace* of_;
        note note_;
    };

    /// When the first step began, or now if there is none yet.
    [[nodiscard]] clock::time_point begin() const;
    /// Chrome trace events, separated by commas, in the process of that rank. Times count from `zero`.
    [[nodiscard]] std::string events(int rank, clock::time_point zero) const;

private:
    void keep(slice::note n);

    training::time_source now_;
    std::size_t left_;
    bool is_on_ = false;
    slice::note step_{"step", {}, 0, {}, {}}; // that is recorded now
    std::vector<slice::note> notes_;
    std::vector<training::activity> buckets_;
};

} // namespace tutti::tools
