// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "counterexample.hpp"

#include "common/lists.hpp"

#include <collectives/schedule/draw/svg.hpp>
#include <collectives/schedule/lowering/order.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace tutti::tools {
namespace {

using schedule::step;
using schedule::draw::detail::point;
using schedule::draw::detail::svg;

enum class state : unsigned char { not_reached, waits, done };

/// What has become of each step where the program stands still, or has ended.
class standstill {
public:
    explicit standstill(const schedule::program& p) : p_(p) {
        for (int r = 0; r < p.size; ++r) {
            orders_.push_back(order_of(p, r));
            states_.emplace_back(p.ranks[static_cast<std::size_t>(r)].size(), state::not_reached);
        }
        schedule::detail::replay walk(p, [this](int r) -> const schedule::order& { return orders_[index(r)]; });
        std::vector<std::pair<int, int>> ready;
        const auto freed = [&](int r, int i) { ready.emplace_back(r, i); };
        for (int r = 0; r < p.size; ++r)
            for (int i = 0; i < walk.steps(r); ++i)
                if (walk.begins(r, i) && walk.free(r, i)) freed(r, i);
        while (!ready.empty()) { // each step is ready once
            const auto [r, i] = ready.back();
            ready.pop_back();
            const step& s = walk.at(r, i);
            mark(r, i, state::waits);
            walk.start(r, i, freed);
            if (!communicates(s)) {
                mark(r, i, state::done);
                walk.finish(r, i, freed);
            } else {
                meet(walk, sends(s) ? r : s.peer, sends(s) ? s.peer : r, freed);
            }
        }
    }

    [[nodiscard]] state of(int r, int i) const { return states_[index(r)][index(i)]; }

    [[nodiscard]] std::vector<waiting_step> waiting(int r) const {
        std::vector<waiting_step> all;
        const auto& steps = p_.ranks[index(r)];
        for (std::size_t i = 0; i < steps.size(); ++i)
            if (states_[index(r)][i] == state::waits && communicates(steps[i]) && leads(steps, i))
                all.push_back({r, static_cast<int>(i), steps[i].peer});
        return all;
    }

private:
    [[nodiscard]] static std::size_t index(int k) noexcept { return static_cast<std::size_t>(k); }

    void mark(int r, int i, state s) {
        for (std::size_t k = 0; k < parts_from(p_.ranks[index(r)], index(i)); ++k) states_[index(r)][index(i) + k] = s;
    }
    /// The messages of a channel whose ends have both started.
    void meet(schedule::detail::replay& walk, int from, int to, const auto& freed) {
        for (;;) {
            const int i = walk.next_send(from, to), j = walk.next_receive(from, to);
            if (!walk.started(from, i) || !walk.started(to, j)) return;
            mark(from, i, state::done);
            mark(to, j, state::done);
            walk.finish(from, i, freed);
            walk.finish(to, j, freed);
        }
    }

    const schedule::program& p_;
    std::vector<schedule::order> orders_;
    std::vector<std::vector<state>> states_; ///< by rank and step
};

/// Walks from rank to rank along what they wait for; `way` leads to the one at its end.
bool closes(const standstill& all, std::vector<waiting_step>& way, std::vector<char>& seen, int rank) {
    if (seen[static_cast<std::size_t>(rank)]) return false;
    seen[static_cast<std::size_t>(rank)] = 1;
    for (const waiting_step& w : all.waiting(rank)) {
        way.push_back(w);
        const auto begin = std::ranges::find(way, w.peer, &waiting_step::rank);
        if (begin != way.end()) {
            way.erase(way.begin(), begin);
            return true;
        }
        if (closes(all, way, seen, w.peer)) return true;
        way.pop_back();
    }
    return false;
}

/// Of a flaw of the steps themselves nothing is run, since it would not get far.
bool runs(schedule::flaw what) { return what >= schedule::flaw::reads_nothing && what != schedule::flaw::disconnected; }

/// "add 0-3 < 2": a step in a few letters; the picture has its words as well.
std::string shortly(const step& s) {
    const schedule::place& x = writes_to(s) ? s.to : s.from;
    const std::string chunks =
        x.count == 1 ? fmt::format("{}", x.first) : fmt::format("{}-{}", x.first, x.first + x.count - 1);
    switch (s.what) {
    case schedule::action::send: return fmt::format("send {} → {}", chunks, s.peer);
    case schedule::action::receive: return fmt::format("receive {} ← {}", chunks, s.peer);
    case schedule::action::receive_reduce: return fmt::format("add {} ← {}", chunks, s.peer);
    default: return fmt::format("{} {}", schedule::name_of(s.what), chunks);
    }
}

std::string waits_in_words(const schedule::program& p, const waiting_step& w) {
    return fmt::format("rank {}, {}, waits for rank {}", w.rank,
                       schedule::in_words(schedule::detail::own_step_of(p, w.rank, w.step)), w.peer);
}

class picture {
public:
    picture(const schedule::program& p, const schedule::finding& f, std::string_view title)
        : p_(p), flaw_(f), circle_(runs(f.what) ? circle_of(p) : std::vector<waiting_step>()), ranks_(shown_ranks()),
          svg_(width(), height(), title, message_of(f),
               ".tutti .broken{fill:#c9342c}.tutti .circle{stroke:#c9342c;"
               "stroke-width:2.5;marker-end:url(#tutti-head-1)}.tutti .white{fill:#fff}\n") {
        svg_.write({12, 22}, title, "ink bold");
        svg_.write({12, 40}, message_of(f), "ink");
        for (std::size_t column = 0; column < ranks_.size(); ++column) draw(column);
        if (!circle_.empty()) draw_circle();
        svg_.write({12, height() - 14}, legend(), "faint");
    }
    [[nodiscard]] std::string finish() && { return std::move(svg_).finish(); }

private:
    static constexpr double column_width = 120, row_height = 24, top = 76, left = 12, node = 15;
    static constexpr std::size_t most_ranks = 16;
    static constexpr int most_steps = 24;

    /// Those of the flaw and the circle, then the others while there is room.
    [[nodiscard]] std::vector<int> shown_ranks() const {
        std::set<int> all;
        const auto add = [&](int r) {
            if (r >= 0 && r < p_.size && all.size() < most_ranks) all.insert(r);
        };
        add(flaw_.rank), add(flaw_.other_rank);
        for (const waiting_step& w : circle_) add(w.rank);
        for (int r = 0; r < p_.size; ++r) add(r);
        return {all.begin(), all.end()};
    }
    [[nodiscard]] int first_step() const { return std::max(0, flaw_.step - most_steps / 2); }
    [[nodiscard]] int rows() const {
        std::size_t longest = 1;
        for (const int r : ranks_) longest = std::max(longest, p_.ranks[static_cast<std::size_t>(r)].size());
        return std::min(most_steps, static_cast<int>(longest) - first_step());
    }
    [[nodiscard]] double width() const {
        const double ring = circle_.empty() ? 0 : 2 * radius() + 600;
        return std::max({860., ring, left + column_width * static_cast<double>(ranks_.size()) + 12});
    }
    [[nodiscard]] double below_steps() const { return top + row_height * std::max(1, rows()) + 12; }
    /// Of the circle, on which neighbours do not touch.
    [[nodiscard]] double radius() const { return std::max(48., 8. * static_cast<double>(circle_.size())); }
    [[nodiscard]] double height() const {
        const double lines = 20. * static_cast<double>(circle_.size()) + 24;
        return below_steps() + (circle_.empty() ? 0 : std::max(lines, 2 * (radius() + node) + 24)) + 36;
    }
    [[nodiscard]] point corner(std::size_t column, int i) const {
        return {left + column_width * static_cast<double>(column), top + row_height * (i - first_step())};
    }
    [[nodiscard]] bool broken(int r, int i) const {
        return (r == flaw_.rank && i == flaw_.step) || (r == flaw_.other_rank && i == flaw_.other_step) ||
               std::ranges::any_of(circle_, [&](const waiting_step& w) { return w.rank == r && w.step == i; });
    }

    void draw(std::size_t column) {
        const int r = ranks_[column];
        svg_.write({corner(column, first_step()).x, top - 10}, fmt::format("rank {}", r), "ink bold");
        const auto& steps = p_.ranks[static_cast<std::size_t>(r)];
        for (int i = first_step(); i < first_step() + most_steps && i < static_cast<int>(steps.size()); ++i) {
            const point at = corner(column, i);
            const bool is_broken = broken(r, i);
            const state s = runs(flaw_.what) ? standing().of(r, i) : state::not_reached;
            const char* const sign = s == state::done ? "✓" : s == state::waits ? "…" : " ";
            const step& x = steps[static_cast<std::size_t>(i)];
            svg_.rectangle({at.x, at.y + 2}, column_width - 10, row_height - 4, is_broken ? "broken" : "band",
                           schedule::in_words(x));
            svg_.write({at.x + 6, at.y + 16}, fmt::format("{} {}", sign, shortly(x)),
                       is_broken                 ? "white"
                       : s == state::not_reached ? "faint"
                                                 : "ink");
        }
    }
    /// Beside the sentences, each rank with an arrow to the one that it waits for.
    void draw_circle() {
        const double y = below_steps() + 18;
        svg_.write({12, y}, fmt::format("{} ranks wait for each other in a circle:", circle_.size()), "ink bold");
        const auto place = [&](std::size_t k) {
            const double turn =
                2 * std::numbers::pi * static_cast<double>(k % circle_.size()) / static_cast<double>(circle_.size());
            const point middle{width() - radius() - node - 24, y + radius() + node};
            return point{middle.x + radius() * std::sin(turn), middle.y - radius() * std::cos(turn)};
        };
        for (std::size_t k = 0; k < circle_.size(); ++k) {
            const point from = place(k), to = place(k + 1);
            svg_.line(schedule::draw::detail::towards(from, to, node),
                      schedule::draw::detail::towards(to, from, node + 1), "circle", waits_in_words(p_, circle_[k]));
            svg_.circle(from, node, "broken");
            svg_.write({from.x, from.y + 4}, fmt::format("{}", circle_[k].rank), "white", "middle");
            svg_.write({12, y + 20. * static_cast<double>(k + 1)}, waits_in_words(p_, circle_[k]), "ink");
        }
    }
    [[nodiscard]] std::string legend() const {
        std::string text = "✓ done; … started, and waits; without a sign: not reached; red: the flaw";
        if (static_cast<int>(ranks_.size()) < p_.size) text += fmt::format("; {} of {} ranks", ranks_.size(), p_.size);
        if (first_step() > 0) text += fmt::format("; from step {} on", first_step());
        return text;
    }
    [[nodiscard]] const standstill& standing() {
        if (standing_.empty()) standing_.emplace_back(p_);
        return standing_.front();
    }

    const schedule::program& p_;
    const schedule::finding& flaw_;
    std::vector<waiting_step> circle_;
    std::vector<int> ranks_;
    std::vector<standstill> standing_; ///< one, once it is needed
    svg svg_;
};

} // namespace

std::vector<waiting_step> circle_of(const schedule::program& p) {
    const standstill all(p);
    std::vector<char> seen(static_cast<std::size_t>(p.size));
    for (int r = 0; r < p.size; ++r)
        if (std::vector<waiting_step> way; closes(all, way, seen, r)) return way;
    return {};
}

std::string in_words(const schedule::program& p, const std::vector<waiting_step>& circle) {
    std::vector<std::string> waits;
    std::string ranks;
    for (std::size_t k = 0; k < circle.size(); ++k) {
        const waiting_step& w = circle[k];
        ranks += fmt::format("{}{}", k == 0 ? "" : k + 1 == circle.size() ? " and " : ", ", w.rank);
        waits.push_back(waits_in_words(p, w));
    }
    return fmt::format("ranks {} wait for each other in a circle: {}", ranks, join(waits, "; "));
}

std::string counterexample_svg(const schedule::program& p, const schedule::finding& flaw, std::string_view title) {
    return picture(p, flaw, title).finish();
}

} // namespace tutti::tools
