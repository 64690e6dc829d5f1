// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace tutti::training::sandblaster {

/// The load balancer of a batch: it hands out portions to whoever is free. When all are handed out, those that are not
/// done are handed out again, to replicas that have nothing else to do. The first result counts.
///
/// Source: Dean et al. 2012, section 4.2; the backup tasks of Dean and Ghemawat, MapReduce, OSDI 2004.
class portions {
public:
    portions() = default;
    /// Portions 0 to n - 1, each at so many replicas at most at one time. Precondition: copies >= 1.
    explicit portions(std::uint32_t n, int copies = 2) : all_(n), left_(n), copies_(static_cast<std::size_t>(copies)) {}

    /// A portion for this replica, which has none. None where there is nothing for it to do.
    [[nodiscard]] std::optional<std::uint32_t> next(int replica) {
        const portion* best = nullptr;
        while (fresh_ < all_.size() && all_[fresh_].has_begun()) ++fresh_;
        if (fresh_ < all_.size()) {
            best = &all_[fresh_];
        } else {
            for (const portion& p : all_)
                if (!p.done && p.at.size() < copies_ && (!best || p.at.size() < best->at.size())) best = &p;
        }
        if (!best) return {};
        const auto number = static_cast<std::uint32_t>(best - all_.data());
        all_[number].at.push_back(replica);
        return number;
    }
    /// Whether this is the portion's first result.
    bool done(std::uint32_t number) {
        portion& p = all_.at(number);
        if (p.done) return false;
        p.done = true;
        --left_;
        return true;
    }
    /// A replica is lost, with what it had not done.
    void lose(int replica) {
        for (std::size_t i = 0; i < all_.size(); ++i)
            if (std::erase(all_[i].at, replica) > 0 && !all_[i].has_begun()) fresh_ = std::min(fresh_, i);
    }
    /// Whether all portions are done.
    [[nodiscard]] bool complete() const noexcept { return left_ == 0; }

private:
    struct portion {
        std::vector<int> at; ///< replicas that have it, or had it before it was done
        bool done = false;
        [[nodiscard]] bool has_begun() const noexcept { return done || !at.empty(); }
    };

    std::vector<portion> all_;
    std::size_t fresh_ = 0; ///< all before it have begun
    std::size_t left_ = 0;
    std::size_t copies_ = 2;
};

} // namespace tutti::training::sandblaster
