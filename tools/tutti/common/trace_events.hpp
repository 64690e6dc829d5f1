// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace tutti::tools {

/// Events of a Chrome trace. `what` is process_name, thread_name or process_sort_index.
[[nodiscard]] inline nlohmann::ordered_json trace_name(std::string_view what, int process, int thread, const char* key,
                                                       const nlohmann::ordered_json& value) {
    return {{"ph", "M"}, {"pid", process}, {"tid", thread}, {"name", what}, {"args", {{key, value}}}};
}
[[nodiscard]] inline nlohmann::ordered_json trace_slice(int process, int thread, std::string_view name, double begin_s,
                                                        double end_s) {
    constexpr double us = 1e6;
    return {{"ph", "X"},    {"pid", process},     {"tid", thread},
            {"name", name}, {"ts", us * begin_s}, {"dur", us * (end_s - begin_s)}};
}

/// Slices of one thread must not overlap: each goes to the first lane that is free.
class trace_lanes {
public:
    /// The lane of a slice, from 1. Slices come in the order of their begins.
    [[nodiscard]] int lane(double begin, double end) {
        const auto free = std::ranges::find_if(busy_until_, [&](double until) { return until <= begin; });
        const auto lane = static_cast<int>(free - busy_until_.begin()) + 1;
        free == busy_until_.end() ? busy_until_.push_back(end) : void(*free = end);
        return lane;
    }
    [[nodiscard]] int size() const noexcept { return static_cast<int>(busy_until_.size()); }

private:
    std::vector<double> busy_until_;
};

} // namespace tutti::tools
