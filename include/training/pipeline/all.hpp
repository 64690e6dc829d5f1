// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/error.hpp"
#include "gpipe.hpp"
#include "interleaved.hpp"
#include "one_f_one_b.hpp"
#include "pipedream.hpp"
#include "pipedream_2bw.hpp"

#include <array>
#include <string>
#include <string_view>

namespace tutti::training::pipeline {

/// A schedule of the library, by name.
struct any {
    std::string_view name;             ///< as tools know it
    bool takes_chunks;                 ///< it takes more than one chunk a worker
    program (*write)(const shape&);    ///< its steps
    promise (*promises)(const shape&); ///< what it promises

    /// Of a schedule.
    template <class Schedule>
    [[nodiscard]] static constexpr any of() noexcept {
        return {Schedule::name, Schedule::takes_chunks, &pipeline::write<Schedule>, &promise_of<Schedule>};
    }
};

/// All of them.
inline constexpr std::array schedules{any::of<gpipe>(),
                                      any::of<one_f_one_b>(),
                                      any::of<interleaved>(),
                                      any::of<pipedream>(),
                                      any::of<pipedream_vertical_sync>(),
                                      any::of<pipedream_2bw>()};

/// The schedule of that name; 1f1b is one_f_one_b. Throws invalid_argument, with all names, where there is none.
[[nodiscard]] inline any by_name(std::string_view name) {
    std::string names;
    for (const any& a : schedules) {
        if (a.name == name || (a.name == one_f_one_b::name && name == "1f1b")) return a;
        names.append(names.empty() ? "" : ", ").append(a.name);
    }
    reject("pipeline " + std::string(name), "there is no such schedule", "take one of " + names);
}

} // namespace tutti::training::pipeline
