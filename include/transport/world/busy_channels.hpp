// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

namespace tutti::transport::detail {

/// Those of a rank's channels that have transfers under way. A channel says by `listed` that it is here.
template <class Channel>
class busy_channels {
public:
    /// So that list() does not allocate for so many.
    void reserve(std::size_t channels) { listed_.reserve(channels); }

    /// Takes a channel in if it has work left.
    void list(Channel& c) {
        if (c.busy() && !c.listed) enter(c); // a small message has often gone or come already
    }
    /// The channel goes.
    void forget(Channel& c) { std::erase(listed_, &c); }

    [[nodiscard]] std::size_t size() const noexcept { return listed_.size(); }

    /// Makes progress on each channel, and drops those with nothing left to do. True if anything moved.
    bool advance() {
        return advance([](Channel& c) { return c.advance(); });
    }
    /// The same by `move(channel)`.
    template <class Move>
    bool advance(Move move) {
        bool moved = false;
        for (std::size_t i = 0; i < listed_.size();) {
            Channel& c = *listed_[i];
            moved = move(c) || moved;
            if (c.busy()) {
                ++i;
                continue;
            }
            c.listed = false;
            listed_[i] = listed_.back();
            listed_.pop_back();
        }
        return moved;
    }

    /// Whether it holds for one of them; asks no further then.
    template <class Predicate>
    [[nodiscard]] bool any(Predicate holds) const {
        for (Channel* c : listed_) // mostly one: the standard algorithm would unroll it
            if (holds(*c)) return true;
        return false;
    }

private:
    void enter(Channel& c) {
        listed_.push_back(&c);
        c.listed = true;
    }

    std::vector<Channel*> listed_;
};

} // namespace tutti::transport::detail
