// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../error.hpp"

#include <transport/notice.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

namespace tutti::engine {

/// What the control plane has said so far: who is lost, who has left, and which communicators have failed.
class census {
public:
    enum class presence : std::uint8_t { here, lost, left };

    explicit census(int size) : presence_(static_cast<std::size_t>(size)), how_(static_cast<std::size_t>(size)) {}

    void record(const transport::notice& n) {
        using transport::notice_kind;
        if (n.kind == notice_kind::lost) set(n.rank, presence::lost, n.text);
        if (n.kind == notice_kind::departed) set(n.rank, presence::left, n.text);
        if (n.kind != notice_kind::verdict || verdict_on(n.communicator)) return;
        if (verdicts_.size() == remembered) verdicts_.pop_front();
        verdicts_.push_back(n);
    }
    [[nodiscard]] presence of(int rank) const { return presence_[static_cast<std::size_t>(rank)]; }
    [[nodiscard]] bool anyone_lost() const noexcept { return anyone_lost_; }
    /// Nobody is lost, and no communicator has failed, as far as is known.
    [[nodiscard]] bool all_well() const noexcept { return !anyone_lost_ && verdicts_.empty(); }
    [[nodiscard]] const std::string& how(int rank) const { return how_[static_cast<std::size_t>(rank)]; }
    /// The verdict on a communicator, null if there is none. It may come before this rank has the communicator.
    [[nodiscard]] const transport::notice* verdict_on(std::uint64_t communicator) const {
        for (const auto& v : verdicts_)
            if (v.communicator == communicator) return &v;
        return nullptr;
    }

private:
    static constexpr std::size_t remembered = 256;

    void set(int rank, presence p, const std::string& how) {
        if (rank < 0 || static_cast<std::size_t>(rank) >= presence_.size()) return;
        presence_[static_cast<std::size_t>(rank)] = p;
        anyone_lost_ = anyone_lost_ || p == presence::lost;
        how_[static_cast<std::size_t>(rank)] = how;
    }

    std::vector<presence> presence_;
    std::vector<std::string> how_;
    std::deque<transport::notice> verdicts_;
    bool anyone_lost_ = false;
};

} // namespace tutti::engine
