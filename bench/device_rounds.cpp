// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// The tables of docs/kernels.md: how long the device engine takes by device_rounds_of, where ranks do their lists as
// they are written, and where they do them in the order of device_plans_of. Nothing is measured.

#include <collectives/algorithm/all.hpp>

#include "kernels/device_plan.hpp"

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

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

void row(const algorithm::any& how, operation what, int segments, const auto& rounds) {
    std::printf("| %s, %s | %d |", std::string(how.name()).c_str(), std::string(schedule::name_of(what)).c_str(),
                segments);
    for (int size = 2; size <= 8; ++size) std::printf(" %.2f |", rounds(how.write(what, size, 0, true, segments)));
    std::printf("\n");
}
void table(std::string_view title, const auto& rounds) {
    std::printf("\n%s\n\n| algorithm | segments |", std::string(title).c_str());
    for (int size = 2; size <= 8; ++size) std::printf(" P = %d |", size);
    std::printf("\n|---|---|---|---|---|---|---|---|---|\n");
    rounds();
}

} // namespace

int main() {
    const auto each = [](const auto& rounds) {
        for (const std::string_view name :
             {"ring", "direct", "halving_doubling", "binomial_tree", "double_binary_tree"})
            for (const operation what : {operation::allreduce, operation::reduce, operation::broadcast}) {
                const algorithm::any how = algorithm::by_name(name, 1);
                if (!how.offers(what)) continue;
                for (const int segments : {1, 4, 16}) row(how, what, segments, rounds);
            }
    };
    table("Lists as they are written", [&] { each(rounds_as_written); });
    table("In the order of device_plans_of", [&] { each(rounds_in_order); });
    table("One tree of two, as it is written", [] {
        for (const int segments : {1, 4, 16})
            row(algorithm::by_name("double_binary_tree", 1), operation::allreduce, segments,
                [](const schedule::program& p) { return rounds_as_written(one_tree(p)); });
    });
}
