// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/linkage.hpp"
#include "members.hpp"
#include "processor_matching.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::transport::bootstrap {

TUTTI_COLD TUTTI_APART std::optional<int> world_table::processor_of(int rank) const {
    const std::string& host = members[static_cast<std::size_t>(rank)].host_id;
    std::vector<allotment> here;
    std::size_t mine = 0;
    for (std::size_t r = 0; r < members.size(); ++r) {
        if (members[r].host_id != host) continue;
        if (r == static_cast<std::size_t>(rank)) mine = here.size();
        here.push_back(members[r].may_use);
    }
    const auto given = share_out(here);
    if (!given) return std::nullopt;
    return (*given)[mine];
}

TUTTI_COLD TUTTI_APART std::vector<int> world_table::nodes() const {
    std::map<std::string_view, int> numbers;
    std::vector<int> all;
    for (const member& m : members)
        all.push_back(numbers.try_emplace(m.host_id, static_cast<int>(numbers.size())).first->second);
    return all;
}

} // namespace tutti::transport::bootstrap
