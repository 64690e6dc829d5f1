// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// Tables, of which docs/kernels.md has the rows of 8 ranks: how long the device engine takes by device_rounds_of, where
// ranks do their lists as they are written, and in the order of device_plans_of. It computes, and measures nothing.

#include <collectives/algorithm/all.hpp>

#include "kernels/engine/device_plan.hpp"

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

using namespace tutti;
using schedule::operation;

namespace {

constexpr std::size_t count = std::size_t{1} << 24;

double rounds_as_written(const schedule::program& p) {
    const auto lists = kernels::detail::as_written(p);
    return kernels::device_rounds_of(kernels::detail::device_planner(p, count, sizeof(float)).plans(lists), count);
}
double rounds_in_order(const schedule::program& p) {
    return kernels::device_rounds_of(kernels::device_plans_of(p, count, sizeof(float)), count);
}
/// What is left of a double tree without its second tree.
schedule::program one_tree(schedule::program p) {
    for (auto& steps : p.ranks)
        std::erase_if(steps, [&](const schedule::step& s) {
            return (schedule::writes_to(s) ? s.to : s.from).first >= p.segments;
        });
    return p;
}

constexpr auto figure = [](double rounds) {
    char text[16];
    std::snprintf(text, sizeof text, "%.2f", rounds);
    return std::string(text);
};
constexpr auto before_and_after = [](const schedule::program& p) {
    const std::string before = figure(rounds_as_written(p)), after = figure(rounds_in_order(p));
    return before == after ? before : before + " → " + after;
};
constexpr auto of_one_tree = [](const schedule::program& p) { return figure(rounds_as_written(one_tree(p))); };

/// Rows for 1, 4 and 16 segments, but none that says what the row above it does.
void rows(std::string_view name, operation what, const auto& cell) {
    const algorithm::any how = algorithm::by_name(name, 1);
    std::string above;
    for (const int segments : {1, 4, 16}) {
        std::string cells;
        for (int size = 2; size <= 8; ++size) cells += " " + cell(how.write(what, size, 0, true, segments)) + " |";
        if (cells == above) continue;
        above = cells;
        std::printf("| `%s`, %s | %d |%s\n", std::string(name).c_str(), std::string(schedule::name_of(what)).c_str(),
                    segments, cells.c_str());
    }
}

} // namespace

int main() {
    std::printf("| algorithm | segments |");
    for (int size = 2; size <= 8; ++size) std::printf(" P = %d |", size);
    std::printf("\n|---|---|---|---|---|---|---|---|---|\n");
    for (const std::string_view name : {"ring", "direct", "halving_doubling", "binomial_tree", "double_binary_tree"})
        for (const operation what : {operation::allreduce, operation::reduce, operation::broadcast})
            if (algorithm::by_name(name, 1).offers(what)) rows(name, what, before_and_after);
    std::printf("\nOne tree of the two, as it is written:\n");
    rows("double_binary_tree", operation::allreduce, of_one_tree);
}
