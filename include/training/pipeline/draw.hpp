// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/error.hpp"
#include "../../collectives/schedule/draw/svg.hpp"
#include "in_words.hpp"
#include "timeline.hpp"
#include "verify.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Pictures of pipelines: workers downwards, time across, a box for each forward and backward with the number of its
/// microbatch. They are made of a timeline, and of what verify() has counted.
namespace tutti::training::pipeline {

namespace detail {

/// "27.3 %", in every locale.
[[nodiscard]] inline std::string percent(double share) {
    const long tenths = std::lround(share * 1000);
    return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " %";
}

/// How many activations of whole stages so many of chunks are: "5.5", in every locale.
[[nodiscard]] inline std::string of_stages(int activations, int chunks) {
    const long hundredths = std::lround(100. * activations / chunks), part = hundredths % 100;
    std::string text = std::to_string(hundredths / 100);
    if (part > 0) text += '.' + std::to_string(part / 10);
    if (part % 10 > 0) text += std::to_string(part % 10);
    return text;
}
/// What a box is of the time of a stage, where it is not all: "1/2 of a stage".
[[nodiscard]] inline std::string part_of_stage(int chunks) { return "1/" + std::to_string(chunks) + " of a stage"; }

/// What both pictures need of a program, which is proven.
struct drawn {
    drawn(const program& of, const timeline& in_time) : p(of), t(in_time), found((verify)(of)) {
        if (!found.proven) reject("pipeline picture", found.fault);
        constexpr std::size_t most = 20'000;
        std::size_t steps = 0;
        for (std::size_t w = 0; w < p.workers.size(); ++w) {
            steps += p.workers[w].size();
            for (std::size_t i = 0; i < p.workers[w].size(); ++i)
                if (computes(p.workers[w][i])) shortest = std::min(shortest, length(t.steps[w][i]));
            stale = stale || found.workers[w].versions > 1;
        }
        if (steps > most) reject("pipeline picture", "there is too much to draw: at most 20000 steps");
        if (!(shortest > 0)) reject("pipeline picture", "a forward or a backward takes no time");
    }
    [[nodiscard]] static double length(const interval& i) noexcept { return i.end_s - i.begin_s; }
    /// Calls `visit(worker, step, interval)` for steps that are no messages.
    template <class Visit>
    void for_each(Visit visit) const {
        for (std::size_t w = 0; w < p.workers.size(); ++w)
            for (std::size_t i = 0; i < p.workers[w].size(); ++i)
                if (!communicates(p.workers[w][i])) visit(w, p.workers[w][i], t.steps[w][i]);
    }

    const program& p;
    const timeline& t;
    proof found;
    double shortest = std::max(t.makespan_s, 1e-9); ///< of all forwards and backwards
    bool stale = false;                             ///< there are several versions of the weights
};

/// Shades from dark to light of the chunks of a worker; words on the lighter two are dark.
inline constexpr std::string_view pipeline_rules =
    ".tutti .w0{fill:#1f5f9e}.tutti .w1{fill:#3c7cbc}.tutti .w2{fill:#8fbbe6}.tutti .w3{fill:#bdd9f3}\n"
    ".tutti .g0{fill:#237046}.tutti .g1{fill:#3f8f62}.tutti .g2{fill:#8ccaa6}.tutti .g3{fill:#bfe3cd}\n"
    ".tutti .t0,.tutti .t1{fill:#ffffff}.tutti .t2,.tutti .t3{fill:#1f2328}.tutti path.mark{stroke-width:2}\n";

class pipeline_picture {
public:
    pipeline_picture(const program& p, const timeline& t, std::string_view title)
        : d_(p, t), scale_((d_.stale ? 20 : 18) / d_.shortest), right_(left + t.makespan_s * scale_),
          picture_(right_ + 236, bottom() + 38, title,
                   "Pipeline: each row is a worker, time runs to the right, a box is "
                   "a microbatch on its way forwards or backwards, with its number.",
                   pipeline_rules) {
        picture_.write({12, 22}, title, "ink bold");
        write_workers();
        d_.for_each([this](std::size_t w, const step& s, const interval& i) { write(w, s, i); });
        write_figures();
        write_legend({left, bottom() + 22});
    }
    [[nodiscard]] std::string finish() && { return std::move(picture_).finish(); }

private:
    using point = schedule::draw::detail::point;
    static constexpr double left = 66, top = 54, pitch = 32, height = 26;

    [[nodiscard]] double bottom() const { return top + pitch * d_.p.of.stages; }
    [[nodiscard]] static double y_of(std::size_t worker) { return top + pitch * static_cast<double>(worker); }
    [[nodiscard]] std::string shade(const step& s) const {
        const int last = std::max(1, d_.p.of.chunks - 1);
        return std::to_string(s.chunk / d_.p.of.stages * 3 / last);
    }

    void write_workers() {
        for (std::size_t w = 0; w < d_.p.workers.size(); ++w) {
            picture_.write({12, y_of(w) + 17}, "worker " + std::to_string(w), "ink");
            picture_.rectangle({left, y_of(w)}, right_ - left, height, "band");
        }
    }
    void write(std::size_t w, const step& s, const interval& i) {
        const double x = left + i.begin_s * scale_, wide = drawn::length(i) * scale_;
        const std::string told = "worker " + std::to_string(w) + ": " + in_words(s) +
                                 (computes(s) ? ", weights of version " + std::to_string(s.version) : "");
        if (s.what == action::update) return write_update({x, y_of(w)}, wide, told);
        const bool forward = s.what == action::forward;
        picture_.rectangle({x + .5, y_of(w)}, wide - 1, height, (forward ? "w" : "g") + shade(s), told);
        const std::string style = "t" + shade(s);
        picture_.write({x + wide / 2, y_of(w) + (d_.stale ? 12 : 17)}, std::to_string(s.microbatch), style, "middle");
        if (d_.stale)
            picture_.write({x + wide / 2, y_of(w) + 22}, "v" + std::to_string(s.version), style + " small", "middle");
    }
    /// One that takes no time is a mark behind the backward.
    void write_update(point at, double wide, std::string_view told) {
        if (wide > 0)
            picture_.rectangle(at, wide, height, "f5", told);
        else
            picture_.rectangle({at.x - 1, at.y - 3}, 2, height + 6, "ink", told);
    }
    void write_figures() {
        const std::array<const char*, 4> heads{"bubble", "activations", "versions", "staleness"};
        for (std::size_t k = 0; k < heads.size(); ++k)
            picture_.write(column(k, top - 8), heads[k], "faint small", "end");
        for (std::size_t w = 0; w < d_.p.workers.size(); ++w) {
            const figures& f = d_.found.workers[w];
            const std::array<std::string, 4> cells{percent(d_.t.bubble(static_cast<int>(w))),
                                                   of_stages(f.activations, d_.p.of.chunks), std::to_string(f.versions),
                                                   std::to_string(f.staleness)};
            for (std::size_t k = 0; k < cells.size(); ++k)
                picture_.write(column(k, y_of(w) + 17), cells[k], "ink", "end");
        }
    }
    [[nodiscard]] point column(std::size_t k, double y) const { return {right_ + 56 + 56 * static_cast<double>(k), y}; }
    void write_legend(point at) {
        const auto sample = [&](std::string_view style, std::string_view words) {
            picture_.rectangle({at.x, at.y - 10}, 13, 13, style);
            picture_.write({at.x + 18, at.y}, words, "ink");
            at.x += 32 + 6.2 * static_cast<double>(words.size());
        };
        sample("w0", "forward");
        sample("g0", "backward");
        sample("band", "idle");
        picture_.rectangle({at.x + 6, at.y - 11}, 2, 15, "ink");
        picture_.write({at.x + 18, at.y}, "update", "ink");
        at.x += 72;
        if (d_.stale) picture_.write(at, "v: the version of the weights", "faint");
        if (d_.p.of.chunks > 1)
            picture_.write(at, "lighter: later chunks of the worker; each is " + part_of_stage(d_.p.of.chunks),
                           "faint");
    }

    drawn d_;
    double scale_, right_;
    schedule::draw::detail::svg picture_;
};

} // namespace detail

/// SVG of a pipeline in time: forwards blue, backwards green, in lighter shades of a worker's later chunks; a mark for
/// each update. Where there are several versions of the weights, boxes tell theirs. Beside each worker stand its bubble
/// and what it holds, activations as those of whole stages. The scale is that of the shortest box: in an interleaved
/// pipeline a stage of several chunks is drawn longer than in others. Throws invalid_argument if the program is not
/// proven, or has more than 20,000 steps.
[[nodiscard]] inline std::string pipeline_svg(const program& p, const timeline& t, std::string_view title) {
    return detail::pipeline_picture(p, t, title).finish();
}

/// The same as text: a row a worker, a column for as long as the shortest forward or backward takes. "f3" is forward of
/// microbatch 3, and "b3" its backward. A letter is the worker's chunk if there are several; a dot is idle. Exact
/// where all times are multiples of the shortest. Throws as pipeline_svg() does.
[[nodiscard]] inline std::string pipeline_text(const program& p, const timeline& t, std::string_view title) {
    const detail::drawn d(p, t);
    const std::size_t cell = 2 + std::to_string(p.of.microbatches - 1).size() + (p.of.chunks > 1 ? 1 : 0);
    const auto column = [&](double time) { return cell * static_cast<std::size_t>(std::lround(time / d.shortest)); };
    std::string idle;
    while (idle.size() < column(t.makespan_s)) idle += "." + std::string(cell - 1, ' ');
    std::vector<std::string> rows(p.workers.size(), idle);
    d.for_each([&](std::size_t w, const step& s, const interval& i) {
        if (!computes(s)) return;
        std::string label = (s.what == action::forward ? "f" : "b") + std::to_string(s.microbatch);
        if (p.of.chunks > 1) label += static_cast<char>('a' + s.chunk / p.of.stages % 26);
        const std::size_t from = column(i.begin_s), wide = std::max(cell, column(i.end_s) - from);
        label.resize(wide == cell ? cell - 1 : wide - 1, wide == cell ? ' ' : '-');
        rows[w].replace(std::min(from, rows[w].size()), wide, label + " ");
    });
    std::string all = std::string(title) + "\n\n";
    if (p.of.chunks > 1)
        all += "A letter is a chunk of a worker, and takes " + detail::part_of_stage(p.of.chunks) +
               ". Activations are those of whole stages.\n\n";
    for (std::size_t w = 0; w < rows.size(); ++w) {
        const std::string head = "worker " + std::to_string(w);
        all += head + std::string(head.size() < 10 ? 11 - head.size() : 1, ' ');
        all += rows[w].substr(0, rows[w].find_last_not_of(' ') + 1) + "\n";
    }
    all += "\n";
    for (std::size_t w = 0; w < rows.size(); ++w) {
        const figures& f = d.found.workers[w];
        all += "worker " + std::to_string(w) + ": bubble " + detail::percent(t.bubble(static_cast<int>(w))) +
               ", activations " + detail::of_stages(f.activations, p.of.chunks) + ", versions " +
               std::to_string(f.versions) + ", staleness " + std::to_string(f.staleness) + "\n";
    }
    return all;
}

} // namespace tutti::training::pipeline
