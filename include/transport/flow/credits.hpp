// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace tutti::transport::detail::tcp {

/// The credits of a message besides its bytes, so that a flood of empty messages is bounded too.
inline constexpr std::uint64_t message_cost = 64;

/// The incomplete messages of a peer's channels.
struct outstanding {
    std::size_t transfers = 0;
    std::size_t placed = 0; ///< among them the receives that are better read straight to where they belong
};

/// The sender's half of a channel's credits. Both totals only grow.
class allowance {
public:
    explicit allowance(std::uint64_t window) noexcept : granted_(window) {}
    [[nodiscard]] std::uint64_t left() const noexcept { return granted_ - spent_; }
    void spend(std::uint64_t cost) noexcept { spent_ += cost; }
    void take_back(std::uint64_t cost) noexcept { spent_ -= cost; }
    void raise(std::uint64_t granted) noexcept { granted_ = std::max(granted_, granted); }

private:
    std::uint64_t granted_;
    std::uint64_t spent_ = 0;
};

/// The receiver's half: what the peer may have sent in all is what receives were posted for, and a window beyond that,
/// which is the room for messages that come early. So every byte that may arrive has a home.
///
/// The peer is told along with what is sent to it once half a window could be added, and by itself, which costs both
/// sides as much as a small message, only from three quarters on. Thus it has at any time been told of more than all
/// posted receives: a message whose receive is posted never waits for a credit that is never sent.
class grant {
public:
    explicit grant(std::uint64_t window) noexcept : window_(window), told_(window) {}

    void post(std::uint64_t cost) noexcept { posted_ += cost; }
    /// A message of another length came than was posted for.
    void correct(std::uint64_t posted, std::uint64_t came) noexcept { posted_ += came - posted; }
    /// The peer should be told when something goes its way.
    [[nodiscard]] bool due() const noexcept { return untold() >= window_ / 2; }
    /// It should be told in any case.
    [[nodiscard]] bool urgent() const noexcept { return untold() >= window_ / 4 * 3; }
    /// The total to tell the peer.
    [[nodiscard]] std::uint64_t tell() noexcept { return told_ = std::max(told_, window_ + posted_); }
    /// Something came; false if that was more than the peer has been told of.
    [[nodiscard]] bool arrive(std::uint64_t cost) noexcept {
        arrived_ += cost;
        return arrived_ <= told_;
    }

private:
    [[nodiscard]] std::uint64_t untold() const noexcept { return std::max(window_ + posted_, told_) - told_; }

    std::uint64_t window_;
    std::uint64_t posted_ = 0;
    std::uint64_t told_;
    std::uint64_t arrived_ = 0;
};

} // namespace tutti::transport::detail::tcp
