// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "packet.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace tutti::training::server::detail {

/// A client's request that is not answered.
struct open_request {
    std::shared_ptr<const packet> what; ///< with its keys
    std::size_t server;
    std::span<float> to; ///< for the values of a get
    std::uint64_t ticket;
};

/// By number, so in the order of their calls.
class open_requests {
public:
    [[nodiscard]] bool empty() const noexcept { return of_.empty(); }
    [[nodiscard]] bool has_ticket(std::uint64_t ticket) const noexcept {
        return std::any_of(of_.begin(), of_.end(), [=](const auto& o) { return o.second.ticket == ticket; });
    }
    /// Null if it is not there.
    [[nodiscard]] const open_request* find(std::uint64_t number) const noexcept {
        const auto at = of_.find(number);
        return at == of_.end() ? nullptr : &at->second;
    }

    void add(open_request r) {
        const std::uint64_t number = r.what->head.number;
        of_.insert_or_assign(number, std::move(r));
    }
    void remove(std::uint64_t number) { of_.erase(number); }
    void clear() noexcept { of_.clear(); }
    /// Removes those for which `which(request)`.
    template <class Which>
    [[nodiscard]] std::vector<open_request> take(const Which& which) {
        std::vector<open_request> taken;
        std::erase_if(of_, [&](const auto& o) {
            if (!which(o.second)) return false;
            taken.push_back(o.second);
            return true;
        });
        return taken;
    }

private:
    std::map<std::uint64_t, open_request> of_;
};

} // namespace tutti::training::server::detail
