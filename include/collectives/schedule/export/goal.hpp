// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../layout.hpp"
#include "../lowering/pack.hpp"
#include "predecessors.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace tutti::schedule {

/// The bytes of an element and the time of local work in a GOAL file.
struct goal_costs {
    std::size_t element_bytes = 1; ///< the length of an element
    double calc_ns_per_byte = 0;   ///< to combine one byte of two operands, or to copy it
};

namespace detail {

class goal_writer {
public:
    goal_writer(const program& p, const layout& cut, const goal_costs& costs)
        : p_(p), cut_(cut), costs_(costs), text_("num_ranks " + std::to_string(p.size) + "\n") {
        for (int rank = 0; rank < p.size; ++rank) write(p.ranks[static_cast<std::size_t>(rank)], rank);
    }
    [[nodiscard]] std::string take() && { return std::move(text_); }

private:
    void write(const std::vector<step>& steps, int rank) {
        const predecessors before(order_of(p_, rank));
        messages_.assign(2 * static_cast<std::size_t>(p_.size), 0);
        text_.append("\nrank ").append(std::to_string(rank)).append(" {\n");
        for (int i = 0; i < static_cast<int>(steps.size()); ++i) {
            const step& s = steps[static_cast<std::size_t>(i)];
            if (!leads(steps, static_cast<std::size_t>(i))) continue;
            if (communicates(s)) message(i, s, bytes_of_message(steps, static_cast<std::size_t>(i)));
            if (computes(s)) calc(i, s);
            for (const int b : before.of(i))
                line(begin_of(i, s), "requires", end_of(b, steps[static_cast<std::size_t>(b)]));
            if (const int b = before.on_channel(i); b >= 0 && !std::ranges::binary_search(before.of(i), b))
                line(begin_of(i, s), "irequires", begin_of(b, steps[static_cast<std::size_t>(b)]));
        }
        text_ += "}\n";
    }

    [[nodiscard]] std::size_t bytes_of_message(const std::vector<step>& steps, std::size_t i) const {
        std::size_t sum = 0;
        for (std::size_t k = parts_from(steps, i); k-- > 0;) sum += bytes(part_at(steps[i + k]));
        return sum;
    }
    void message(int i, const step& s, std::size_t bytes) {
        int& number = messages_[2 * static_cast<std::size_t>(s.peer) + (sends(s) ? 0 : 1)];
        text_.append(message_of(i)).append(sends(s) ? ": send " : ": recv ");
        text_.append(std::to_string(std::max<std::size_t>(bytes, 1)));
        text_.append(sends(s) ? "b to " : "b from ").append(std::to_string(s.peer));
        text_.append(" tag ").append(std::to_string(++number)).append(" cpu 0 nic 0\n");
    }
    void calc(int i, const step& s) {
        const double operations = static_cast<double>(s.what == action::reduce_many ? sources(s) - 1 : 1);
        const double ns = static_cast<double>(bytes(s.to)) * operations * costs_.calc_ns_per_byte;
        text_.append(calc_of(i))
            .append(": calc ")
            .append(std::to_string(static_cast<long long>(ns + 0.5)))
            .append(" cpu 0\n");
        if (communicates(s)) line(calc_of(i), "requires", message_of(i));
    }
    void line(const std::string& later, const char* how, const std::string& earlier) {
        text_.append(later).append(" ").append(how).append(" ").append(earlier).append("\n");
    }

    /// All but plain messages take the processor's time.
    [[nodiscard]] static bool computes(const step& s) { return s.what != action::send && s.what != action::receive; }
    [[nodiscard]] static std::string message_of(int i) { return "m" + std::to_string(i); }
    [[nodiscard]] static std::string calc_of(int i) { return "c" + std::to_string(i); }
    [[nodiscard]] static std::string begin_of(int i, const step& s) {
        return communicates(s) ? message_of(i) : calc_of(i);
    }
    [[nodiscard]] static std::string end_of(int i, const step& s) { return computes(s) ? calc_of(i) : message_of(i); }
    [[nodiscard]] std::size_t bytes(place x) const {
        return (cut_.bound(x.first + x.count) - cut_.bound(x.first)) * costs_.element_bytes;
    }

    const program& p_;
    layout cut_;
    goal_costs costs_;
    std::string text_;
    std::vector<int> messages_; ///< of the rank being written, by peer and direction: how many so far
};

} // namespace detail

/// The program as GOAL text, which LogGOPSim reads: step i is `m<i>` where it is a message, `c<i>` where it computes,
/// both where it receives and reduces. `cut` must have the program's chunks. Messages of several parts are packed
/// first, as the engine does, so that they are one message; then steps are those of the packed list.
///
/// Completions that a step waits for become `requires`. Messages of one channel get tags 1, 2, ... at both ends:
/// LogGOPSim takes the first receive posted that has the source and the tag, and with one tag for all it would depend
/// on the times whether that is the right one. Tags alone would let a later message that is ready overtake one that is
/// not, which the engine never does; so starts are chained by `irequires` as well.
///
/// An empty message has 1 byte here, since LogGOPSim charges bytes - 1 without looking. A send of at most its --S bytes
/// completes at once; a proven program also completes where larger ones wait for their receive. Sides of operands and
/// rounding cost nothing and are left out. Takes time and memory linear in steps and in what they wait for,
/// and time for P² besides.
/// Source: Hoefler, Siebert and Lumsdaine, Group operation assembly language, ICPP 2009.
[[nodiscard]] inline std::string goal(const program& p, const layout& cut, const goal_costs& costs = {}) {
    const bool joins = std::any_of(p.ranks.begin(), p.ranks.end(), has_joined);
    if (joins) return detail::goal_writer(packed(p), cut, costs).take();
    return detail::goal_writer(p, cut, costs).take();
}

} // namespace tutti::schedule
