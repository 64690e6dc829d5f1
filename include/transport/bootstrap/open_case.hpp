// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../notice.hpp"
#include "../transport.hpp"

#include <cstddef>
#include <map>
#include <utility>

namespace tutti::transport::bootstrap {

/// A timeout or mismatch under inquiry: who reported it, and what the ranks answered so far.
struct open_case {
    notice report;
    std::map<int, notice> answers{}; ///< one a rank, the reporters' included
    clock::time_point due;           ///< when it is closed whatever is known
    std::size_t heard = 0;           ///< members of the communicator that have said all that they know
    int awaited = -1;                ///< the rank on whose answer alone it depends now
    bool postponed = false;          ///< until accusations are decided, which happens once

    /// Takes a rank's answer or report. A timeout tells less than an answer, which has the last calls as well.
    void add(int from, notice n) {
        const auto known = answers.find(from);
        const bool knew_all = known != answers.end() && tells_all(known->second);
        if (knew_all && !tells_all(n)) return;
        if (!knew_all && tells_all(n) && n.members > 0) ++heard;
        answers.insert_or_assign(from, std::move(n));
    }

    /// A further report: a mismatch says more than the timeouts that it causes.
    void weigh(const notice& n) {
        if (n.kind == notice_kind::mismatch && report.kind == notice_kind::timeout) report = n;
    }

    [[nodiscard]] bool has_heard(int rank) const {
        const auto known = answers.find(rank);
        return known != answers.end() && tells_all(known->second);
    }
    /// The rank is in a call of the communicator, or has answered as one that knows it.
    [[nodiscard]] bool has_member(int rank) const {
        const auto known = answers.find(rank);
        return known != answers.end() && known->second.members > 0;
    }

private:
    [[nodiscard]] static bool tells_all(const notice& n) { return n.kind != notice_kind::timeout; }
};

} // namespace tutti::transport::bootstrap
