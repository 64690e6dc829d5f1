// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "routes.hpp"
#include "svg.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace tutti::schedule::draw::detail {

/// The meaning of colours and dashes in the drawings of one timeline. Operands are dashed, results are solid. Where
/// each message goes along one route and there are several, the colour is the route's; else it is that of the dash.
class key {
public:
    explicit key(const timeline& t)
        : routes_(routes_of(t)), by_route_(routes_.apart && routes_.chunks.size() > 1), reduces_(reduces(t.what)) {
        for (const message& m : t.messages) (m.result ? results_ : operands_) = true;
    }

    [[nodiscard]] const routes& ways() const noexcept { return routes_; }
    [[nodiscard]] bool by_route() const noexcept { return by_route_; }
    [[nodiscard]] std::size_t colour_of(bool result, int route) const noexcept {
        return by_route_ ? static_cast<std::size_t>(route) % hues : result ? 1 : 0;
    }
    [[nodiscard]] std::string style_of(const message& m) const {
        return arrow(colour_of(m.result, routes_.of_chunk[static_cast<std::size_t>(m.first)]), m.result);
    }
    [[nodiscard]] static std::string arrow(std::size_t colour, bool result) {
        return "c" + std::to_string(colour) + (result ? "" : " dashed");
    }

    static constexpr double width = 368, pitch = 18;
    [[nodiscard]] double height() const noexcept { return by_route_ ? 2 * pitch : pitch; }

    /// From `at` on, which is the left end of the first line.
    void write(svg& picture, point at) const {
        if (operands_) sample(picture, at, "operands, partial sums", false);
        if (results_) sample(picture, {at.x + (operands_ ? 168 : 0), at.y}, reduces_ ? "results" : "data", true);
        if (by_route_) write_routes(picture, {at.x, at.y + pitch});
    }
    /// On the first line, behind the arrows.
    void write_dot(svg& picture, point at) const {
        if (!reduces_) return;
        picture.circle({at.x + 262, at.y - 4}, 4, "ink");
        picture.write({at.x + 272, at.y}, "reduction", "ink");
    }

private:
    void sample(svg& picture, point at, std::string_view words, bool result) const {
        picture.line({at.x, at.y - 4}, {at.x + 26, at.y - 4}, arrow(by_route_ ? hues : result ? 1 : 0, result));
        picture.write({at.x + 32, at.y}, words, "ink");
    }
    void write_routes(svg& picture, point at) const {
        const std::size_t count = std::min(routes_.chunks.size(), hues);
        picture.write(at, "chunk", "ink");
        at.x += 40;
        for (std::size_t k = 0; k < count; ++k) {
            const std::string label = chunks_label(routes_.chunks[k]);
            picture.rectangle({at.x, at.y - 9}, 10, 10, "f" + std::to_string(k));
            picture.write({at.x + 13, at.y}, label, "ink");
            at.x += 22 + 6.5 * static_cast<double>(label.size());
        }
        if (routes_.chunks.size() > count) picture.write(at, "and so on", "ink");
    }

    routes routes_;
    bool by_route_;
    bool reduces_;
    bool operands_ = false; ///< some messages carry them
    bool results_ = false;
};

/// "14 rounds, 112 messages, 56 reductions"
[[nodiscard]] inline std::string summary_of(const timeline& t) {
    const auto many = [](std::size_t n, const std::string& word) {
        return std::to_string(n) + " " + word + (n == 1 ? "" : "s");
    };
    const auto on_arrival = std::count_if(t.messages.begin(), t.messages.end(), [](auto& m) { return m.reduced; });
    const std::size_t reductions = t.reductions.size() + static_cast<std::size_t>(on_arrival);
    const auto messages = std::count_if(t.messages.begin(), t.messages.end(), [](auto& m) { return m.part == 0; });
    return many(static_cast<std::size_t>(t.rounds), "round") + ", " +
           many(static_cast<std::size_t>(messages), "message") +
           (reduces(t.what) ? ", " + many(reductions, "reduction") : "");
}

} // namespace tutti::schedule::draw::detail
