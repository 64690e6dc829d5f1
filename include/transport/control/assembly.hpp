// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/bytes.hpp"
#include "../../base/linkage.hpp"
#include "../contract/members.hpp"
#include "../contract/transport.hpp"
#include "control_frames.hpp"
#include "member_codec.hpp"
#include "notice_codec.hpp"
#include "roll_call.hpp"
#include "verdict.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tutti::transport::bootstrap {

/// Whom rank 0 waits for before there is a world, since when, and for how long, in sentences. No I/O.
class assembly {
public:
    /// `place`: where they are to come. `first_word`: see rendezvous_thread::settings.
    TUTTI_COLD assembly(int size, std::string place, std::chrono::milliseconds timeout,
                        std::chrono::milliseconds first_word)
        : seats(size), place_(std::move(place)), opened_(clock::now()), deadline_(opened_ + timeout),
          next_word_(opened_ + first_word) {}

    roll_call seats;

    [[nodiscard]] const std::string& place() const noexcept { return place_; }
    [[nodiscard]] clock::time_point deadline() const noexcept { return deadline_; }
    /// A rank that gives up leaves the world incomplete for all: the shortest timeout holds for all.
    void shorten(std::chrono::milliseconds timeout) { deadline_ = std::min(deadline_, clock::now() + timeout); }
    /// When the user is to be told who is missing.
    [[nodiscard]] clock::time_point next_word() const noexcept { return next_word_; }

    /// A process that does not know the secret claims to be a rank: what the user is told of that, once a rank.
    TUTTI_COLD [[nodiscard]] std::optional<std::string> suspect(int rank) {
        if (!seats.is_missing(rank) || !suspects_.insert(rank).second) return std::nullopt;
        return "a process that calls itself rank " + std::to_string(rank) + " was refused at " + place_ +
               ": it has another secret";
    }
    /// For the user, while all wait.
    TUTTI_COLD [[nodiscard]] std::string waiting_sentence(clock::time_point now) {
        const auto waited = std::chrono::round<std::chrono::seconds>(now - opened_);
        next_word_ = opened_ + 2 * (now - opened_);
        return "waiting for " + detail::ranks_in_words(seats.missing()) + " of " + std::to_string(seats.size()) +
               " at " + place_ + ", for " + std::to_string(waited.count()) + " s so far";
    }
    /// For all, when the time is up.
    TUTTI_COLD [[nodiscard]] std::string missing_sentence(clock::time_point now) const {
        const auto waited = std::chrono::duration_cast<std::chrono::milliseconds>(now - opened_).count();
        return detail::ranks_in_words(seats.missing()) + " never came to the rendezvous at " + place_ + "; " +
               std::to_string(seats.present()) + " of " + std::to_string(seats.size()) + " ranks came within " +
               std::to_string(waited / 1000) + "." + std::to_string(waited / 100 % 10) + " s" + suspicion();
    }
    /// The only rank that is missing; -1 if there are several.
    [[nodiscard]] int only_missing() const {
        const auto all = seats.missing();
        return all.size() == 1 ? all.front() : -1;
    }

    /// The table of all, and the start of the world.
    TUTTI_COLD [[nodiscard]] std::vector<std::byte> table_frames(std::uint64_t world) const {
        std::vector<std::byte> table, body;
        for (const auto& m : seats.members()) {
            body.clear();
            tutti::detail::byte_writer w(body);
            write_member(w, m);
            append_frame(table, frame_type::member, body);
        }
        body.clear();
        tutti::detail::byte_writer(body).integer(world);
        append_frame(table, frame_type::start, body);
        return table;
    }

private:
    [[nodiscard]] std::string suspicion() const {
        std::vector<int> claimed;
        std::ranges::copy_if(suspects_, std::back_inserter(claimed), [this](int r) { return seats.is_missing(r); });
        if (claimed.empty()) return {};
        return "; who called itself " + detail::ranks_in_words(claimed) + " had another secret";
    }

    std::string place_;
    clock::time_point opened_, deadline_, next_word_;
    std::set<int> suspects_; // ranks that were claimed with another secret
};

} // namespace tutti::transport::bootstrap
