// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "report.hpp"

#include <collectives/schedule/draw/svg.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace tutti::tools::planner {
namespace {

using schedule::draw::detail::point;
using schedule::draw::detail::svg;

constexpr double wide = 92, high = 52, left = 110, top = 92, below = 44, least_width = 640;

std::vector<int> values_of(const searched& s, int cell::*what) {
    std::vector<int> all;
    for (const cell& c : s.cells)
        if (c.possible) all.push_back(c.*what);
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
}

double place(const std::vector<int>& all, int value) {
    return static_cast<double>(std::find(all.begin(), all.end(), value) - all.begin());
}

void draw_cell(svg& s, point corner, const cell& c, const plan* best) {
    s.rectangle(corner, wide - 4, high - 4, "band");
    if (!c.best) {
        s.write({corner.x + 6, corner.y + 20}, "too large", "faint small");
        return;
    }
    const double times = c.best->step_s() / best->step_s();
    const bool is_best = times == 1;
    s.write({corner.x + 6, corner.y + 16}, short_time(c.best->step_s()), is_best ? "ink small bold" : "ink small");
    s.write({corner.x + 6, corner.y + 31}, is_best ? "the best" : fmt::format("{:.3g} times", times), "faint small");
    s.rectangle({corner.x, corner.y + high - 12}, (wide - 4) / times, 8, is_best ? "f1" : "f6");
}

} // namespace

std::string picture_of(const question& q, const searched& s) {
    const std::vector<int> tensors = values_of(s, &cell::tensor), stages = values_of(s, &cell::pipeline);
    const double width = std::max(least_width, left + wide * static_cast<double>(stages.size()) + 20);
    svg picture(width, top + high * static_cast<double>(tensors.size()) + below, title_of(q),
                "A table of tensor ranks down and stages across: the step time of the best layout of each, and a bar "
                "of its speed.");
    picture.write({20, 26}, "Step times of the best layouts", "ink bold");
    picture.write({20, 48}, "Tensor ranks down, stages across; the other GPUs are replicas. Bars: speed over the best.",
                  "faint");
    for (const int p : stages)
        picture.write({left + wide * place(stages, p) + 6, top - 10}, fmt::format("{} stage{}", p, p == 1 ? "" : "s"),
                      "ink small");
    for (const int t : tensors)
        picture.write({20, top + high * place(tensors, t) + 20}, fmt::format("{} tensor", t), "ink small");
    const plan* const best = s.plans.empty() ? nullptr : &s.plans.front();
    for (const cell& c : s.cells)
        if (c.possible)
            draw_cell(picture, {left + wide * place(stages, c.pipeline), top + high * place(tensors, c.tensor)}, c,
                      best);
    return std::move(picture).finish();
}

} // namespace tutti::tools::planner
