// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "algorithm.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace tutti::algorithm::detail {

/// What a chain's scan and exscan take, rank by rank: from when segments come to a rank follows when it sends them on.
/// All ranks but the first and the last do the same. So once a rank sends as it has received, only later, all further
/// ones take as long as it did, and none of them is looked at. Exact under each model for segments of one length, where
/// copies cost nothing. Takes one pass over the segments for each rank until then, for at most `most_ranks` of them.
template <class Costs>
class chain_form {
public:
    explicit chain_form(const Costs& c)
        : call_(c), wire_(c.of_one_segment()), segments_(static_cast<std::size_t>(c.segments)),
          bytes_(c.whole() / c.segments), each_s_(c.reduce(bytes_)), scans_(c.what == operation::scan) {}

    [[nodiscard]] auto time() const {
        const std::vector<double> no_wait(segments_, 0.0);
        bool tied = false;
        std::vector<double> begins = rank({}, {0, 0, wire_.busy(bytes_)}, tied); // of sends
        const int middle = call_.size - 2;
        bool settled = middle == 0;
        for (int k = 0; k < middle && !settled; ++k) {
            const std::vector<double> next =
                rank(begins, {wire_.handled(bytes_) + (scans_ ? each_s_ : 0), scans_ ? 0 : each_s_, wire_.busy(bytes_)},
                     tied);
            settled = k + 1 == middle || same_but_later(begins, next);
            const int left = settled || k + 1 == most_ranks ? middle - k - 1 : 0; // that take as long as this one
            const double later = next.back() - begins.back();
            begins = next;
            for (double& s : begins) s += left * later;
            if (k + 1 == most_ranks) break;
        }
        return call_.time(last(begins), settled && !tied && wire_.plain() && call_.divides(call_.segments));
    }

private:
    static constexpr int most_ranks = 256;
    enum : std::size_t { receiving, reducing, sending, kinds };
    using durations = std::array<double, kinds>;

    /// When the port has taken in each segment that the rank before begins to send then.
    [[nodiscard]] std::vector<double> arrivals(const std::vector<double>& begins) const {
        std::vector<double> at;
        double free_s = 0;
        for (const double begin : begins)
            at.push_back(free_s = std::max(begin + wire_.header(), free_s) + wire_.port(bytes_, 0, 1));
        return at;
    }

    /// When a rank begins to send each segment: its processor does what could have begun first, of one time receives
    /// before reductions before sends, and its port lets one segment out after the other. A rank that receives nothing
    /// has all at once.
    [[nodiscard]] std::vector<double> rank(const std::vector<double>& from, const durations& take, bool& tied) const {
        constexpr double never = std::numeric_limits<double>::infinity();
        const bool first = from.empty();
        const std::vector<double> come = first ? std::vector<double>(segments_, 0.0) : arrivals(from);
        std::array<std::vector<double>, kinds> ready; // by segment
        ready.fill(std::vector<double>(segments_, never));
        ready[first ? sending : receiving] = come;
        std::array<std::size_t, kinds> done{};
        std::array<double, kinds> began{}; // the latest of each kind
        std::vector<double> sent;
        double processor_s = 0, port_s = 0, in_line_s = 0;
        const auto since = [&](std::size_t kind) {
            if (done[kind] == segments_) return never;
            const double at = std::max(ready[kind][done[kind]], kind == reducing ? 0 : began[kind]);
            return kind == sending ? std::max(at, in_line_s) : at;
        };
        while (sent.size() < segments_) {
            std::size_t next = receiving;
            for (std::size_t kind = reducing; kind < kinds; ++kind) {
                if (about_equal(since(kind), since(next))) tied = true;
                if (since(kind) < since(next)) next = kind;
            }
            const double at = since(next), begin = next == sending && alone() ? at : std::max(at, processor_s);
            if (next == sending && begin < port_s) { // it waits for the port, and others may go first
                in_line_s = port_s;
                continue;
            }
            const double end = begin + take[next];
            if (next != sending || !alone()) processor_s = end;
            if (next == sending) {
                sent.push_back(begin);
                port_s = begin + wire_.send(bytes_);
            } else {
                ready[next == receiving && !scans_ ? reducing : sending][done[next]] = end;
            }
            began[next] = begin;
            ++done[next];
        }
        return sent;
    }

    /// When the last rank has all.
    [[nodiscard]] double last(const std::vector<double>& begins) const {
        double end = 0;
        for (const double at : arrivals(begins))
            end = std::max(at, end) + wire_.handled(bytes_) + (scans_ ? each_s_ : 0);
        return end;
    }

    /// Sends take ports and no processor.
    [[nodiscard]] bool alone() const { return wire_.both_ends_at_once(); }

    [[nodiscard]] static bool about_equal(double a, double b) {
        constexpr double rounding = 1e-9;
        return std::abs(a - b) <= rounding * std::min(std::abs(a), std::abs(b)); // false where neither ever is
    }
    [[nodiscard]] static bool same_but_later(const std::vector<double>& a, const std::vector<double>& b) {
        const double later = b.front() - a.front();
        for (std::size_t k = 1; k < a.size(); ++k)
            if (!about_equal(b[k], a[k] + later)) return false;
        return true;
    }

    const Costs& call_;
    typename Costs::wire_type wire_; ///< of one segment
    std::size_t segments_;
    double bytes_;  ///< of a segment
    double each_s_; ///< to reduce a segment
    bool scans_;    ///< what comes is reduced at once
};

} // namespace tutti::algorithm::detail
