// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/bytes.hpp"
#include "../../base/linkage.hpp"
#include "../contract/members.hpp"
#include "../contract/notice.hpp"
#include "../contract/transport.hpp"
#include "rank_states.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tutti::transport::bootstrap {

inline constexpr std::size_t max_page_bytes = 8 * 1024; ///< of a rank's status page, as it is told and kept

/// What all ranks of a world do, asked for by `tutti ps`. A state machine without I/O.
///
/// Each rank is asked for its own page, and answers when it looks at its control connection next. A rank that computes
/// or is stopped says nothing. After `first_words` those that have answered are asked for the pages of the silent ones
/// of their host, each for `most_asked` at most, since a rank answers in the middle of its calls. What a rank has told
/// stays known, with its age. A rank that has not answered yet is not asked again:
/// questions must not pile up in its connection.
class survey {
public:
    static constexpr std::chrono::milliseconds first_words{120}, patience{400};
    static constexpr std::size_t most_asked = 16;

    struct question {
        int to;    ///< which rank is asked
        int about; ///< about which one
    };

    [[nodiscard]] static notice notice_of(const question& q) {
        notice n;
        n.kind = notice_kind::survey;
        n.rank = q.about;
        return n;
    }

    survey() = default;
    explicit survey(std::vector<int> nodes) : nodes_(std::move(nodes)), ranks_(nodes_.size()) {}

    /// Begins a survey, or joins the one under way. `hears(rank)`: it can be asked.
    template <class Hears>
    [[nodiscard]] std::vector<question> begin(clock::time_point now, Hears hears) {
        std::vector<question> all;
        if (is_open_) return all;
        is_open_ = true;
        began_ = now;
        has_asked_others_ = false;
        for (std::size_t r = 0; r < ranks_.size(); ++r) {
            if (!hears(static_cast<int>(r))) continue;
            if (!std::exchange(ranks_[r].is_asked, true)) all.push_back({static_cast<int>(r), static_cast<int>(r)});
        }
        return all;
    }

    /// The questions that are due now.
    TUTTI_COLD [[nodiscard]] std::vector<question> due(clock::time_point now) {
        std::vector<question> all;
        if (!is_open_ || has_asked_others_ || now < began_ + first_words) return all;
        has_asked_others_ = true;
        std::map<int, std::vector<int>> silent, answered; // by node
        for (std::size_t r = 0; r < ranks_.size(); ++r)
            (is_fresh(r) ? answered : silent)[nodes_[r]].push_back(static_cast<int>(r));
        for (const auto& [node, about] : silent) {
            const auto& by = answered[node];
            for (std::size_t i = 0; i < std::min(about.size(), by.size() * most_asked); ++i)
                all.push_back({by[i % by.size()], about[i]});
        }
        return all;
    }

    /// A rank's answer. Nonsense is ignored: a rank speaks for those of its host alone.
    void take(int from, const notice& n, clock::time_point now) {
        const auto about = static_cast<std::size_t>(n.rank), sender = static_cast<std::size_t>(from);
        if (n.rank < 0 || about >= ranks_.size() || nodes_[about] != nodes_[sender]) return;
        if (n.text.size() > max_page_bytes) return;
        if (n.rank != from && n.text.empty()) return; // a neighbour that sees no page
        told& t = ranks_[about];
        if (n.rank == from) t.is_asked = false;
        t.page = n.text;
        t.system = n.step;
        t.when = now;
        t.by = from;
    }

    /// All has been told that will be.
    [[nodiscard]] bool is_over(clock::time_point now) const {
        if (!is_open_ || now >= began_ + patience) return true;
        for (std::size_t r = 0; r < ranks_.size(); ++r)
            if (!is_fresh(r)) return false;
        return true;
    }
    void end() noexcept { is_open_ = false; }
    [[nodiscard]] bool is_open() const noexcept { return is_open_; }
    /// When due() or is_over() are to be asked again.
    [[nodiscard]] clock::time_point next() const noexcept {
        if (!is_open_) return clock::time_point::max();
        return began_ + (has_asked_others_ ? patience : first_words);
    }

    /// The report, for this machine:
    ///   version 1, world 8, ranks 4, then of each rank
    ///   standing 1, of this survey 1, process state 8, milliseconds since it was told 8, host, pid 8, page
    /// Host and page are texts, with 16 bits of length.
    template <class Standing>
    [[nodiscard]] std::vector<std::byte> report(std::uint64_t world, const std::vector<member>& members,
                                                Standing standing_of, clock::time_point now) const {
        std::vector<std::byte> out;
        tutti::detail::byte_writer w(out);
        w.integer(report_version);
        w.integer(world);
        w.integer(static_cast<std::uint32_t>(ranks_.size()));
        for (std::size_t r = 0; r < ranks_.size(); ++r) {
            const told& t = ranks_[r];
            w.integer(static_cast<std::uint8_t>(standing_of(static_cast<int>(r))));
            w.integer(static_cast<std::uint8_t>(is_fresh(r)));
            w.integer(t.system);
            w.integer(std::chrono::duration_cast<std::chrono::milliseconds>(now - t.when).count());
            w.text(members[r].host, max_name_bytes);
            w.integer(members[r].pid);
            w.text(t.page, max_page_bytes);
        }
        return out;
    }
    static constexpr std::uint8_t report_version = 1;

private:
    struct told {
        bool is_asked = false; ///< and has not answered yet
        std::string page;      ///< empty: it has told nothing
        std::int64_t system = 0;
        clock::time_point when{};
        int by = -1; ///< who told it
    };
    [[nodiscard]] bool is_fresh(std::size_t r) const { return ranks_[r].by >= 0 && ranks_[r].when >= began_; }

    std::vector<int> nodes_; // by rank
    std::vector<told> ranks_;
    bool is_open_ = false, has_asked_others_ = false;
    clock::time_point began_{};
};

} // namespace tutti::transport::bootstrap
