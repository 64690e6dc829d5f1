// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../notice.hpp"
#include "../transport.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

namespace tutti::transport::bootstrap {

/// A timeout or mismatch under inquiry: who reported it, and what the ranks inside the call answered so far.
struct open_case {
    notice report;
    std::map<int, notice> answers; ///< one a rank, the reporter's included
    clock::time_point due;         ///< when it is closed whatever is known

    /// Takes a rank's answer. Of several calls under way on one communicator its oldest counts: that holds it up.
    void add(int from, notice n) {
        const auto known = answers.find(from);
        if (known != answers.end() && known->second.request < n.request) return;
        answers.insert_or_assign(from, std::move(n));
    }

    /// A further report: a mismatch says more than the timeouts that it causes.
    void weigh(const notice& n) {
        if (n.kind == notice_kind::mismatch && report.kind == notice_kind::timeout) report = n;
    }

    /// Nothing more need be heard.
    [[nodiscard]] bool complete() const {
        if (report.kind == notice_kind::mismatch && answers.count(report.peer) > 0) return true;
        return answers.size() >= static_cast<std::size_t>(report.members);
    }

    [[nodiscard]] bool names(int rank) const {
        return std::any_of(answers.begin(), answers.end(), [&](const auto& a) { return a.second.peer == rank; });
    }
};

} // namespace tutti::transport::bootstrap
