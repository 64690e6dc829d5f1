// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "rail.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace tutti::transport::detail::verbs {

/// Where pieces of messages are read to that are to be reduced: places of one size, which all links share.
class landing {
public:
    static constexpr std::size_t place_bytes = 64 * 1024;

    /// Throws a bootstrap error.
    landing(const std::vector<std::unique_ptr<rail>>& rails, std::size_t bytes) {
        const std::size_t count = std::max<std::size_t>(bytes / place_bytes, 2);
        memory_ = std::make_unique_for_overwrite<std::byte[]>(count * place_bytes);
        for (const auto& r : rails) {
            of_.emplace_back(ibv_reg_mr(r->domain(), memory_.get(), count * place_bytes, local_write));
            if (!of_.back()) r->refuse("cannot register " + std::to_string(count * place_bytes) + " bytes");
        }
        for (std::size_t i = count; i > 0; --i) free_.push_back(static_cast<std::uint32_t>(i - 1));
    }

    [[nodiscard]] std::optional<std::uint32_t> take() noexcept {
        if (free_.empty()) return std::nullopt;
        const std::uint32_t place = free_.back();
        free_.pop_back();
        return place;
    }
    void give_back(std::uint32_t place) { free_.push_back(place); }
    [[nodiscard]] std::byte* at(std::uint32_t place) const noexcept { return memory_.get() + place * place_bytes; }
    [[nodiscard]] std::uint32_t key(std::size_t rail) const noexcept { return of_[rail]->lkey; }

private:
    std::unique_ptr<std::byte[]> memory_;
    std::vector<owned<ibv_mr>> of_; // by rail
    std::vector<std::uint32_t> free_;
};

} // namespace tutti::transport::detail::verbs
