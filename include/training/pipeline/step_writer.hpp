// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "step.hpp"

#include "../../base/language.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace tutti::training::pipeline {

/// Writes the list of one worker. A schedule says in which order the worker computes, and with which weights. The
/// writer adds messages and slots. A receive stands right before the step that needs it, and a send right behind the
/// step that makes its data. An activation takes the first free slot.
class step_writer {
public:
    /// Of an empty list.
    TUTTI_CONSTEXPR step_writer(const shape& of, int worker) : of_(of), worker_(worker) {}

    /// Forward of a microbatch on a chunk of this worker, counted from 0 to of.chunks - 1.
    TUTTI_CONSTEXPR void forward(int microbatch, int own_chunk, int version) {
        const step s{action::forward, microbatch, model_chunk(own_chunk), version, take({microbatch, own_chunk})};
        if (s.chunk > 0) put(s, action::receive_activation);
        put(s, action::forward);
        if (s.chunk + 1 < chunks_of(of_)) put(s, action::send_activation);
    }
    /// Backward likewise. Precondition: its forward is in the list.
    TUTTI_CONSTEXPR void backward(int microbatch, int own_chunk, int version) {
        const step s{action::backward, microbatch, model_chunk(own_chunk), version, give_back({microbatch, own_chunk})};
        if (s.chunk + 1 < chunks_of(of_)) put(s, action::receive_gradient);
        put(s, action::backward);
        if (s.chunk > 0) put(s, action::send_gradient);
    }
    /// Makes this version of the weights.
    TUTTI_CONSTEXPR void update(int version) { steps_.push_back({action::update, 0, 0, version, 0}); }

    /// The list.
    [[nodiscard]] TUTTI_CONSTEXPR std::vector<step> finish() && { return std::move(steps_); }

private:
    using activation = std::pair<int, int>; ///< microbatch and own chunk
    static constexpr activation nothing{-1, -1};

    [[nodiscard]] constexpr int model_chunk(int own_chunk) const noexcept { return own_chunk * of_.stages + worker_; }
    TUTTI_CONSTEXPR void put(step s, action what) {
        s.what = what;
        if (what == action::receive_gradient || what == action::send_gradient) s.slot = 0;
        if (communicates(s)) s.version = 0;
        steps_.push_back(s);
    }
    TUTTI_CONSTEXPR int take(activation a) {
        const int slot = find(nothing);
        if (static_cast<std::size_t>(slot) == slots_.size())
            slots_.push_back(a);
        else
            slots_[static_cast<std::size_t>(slot)] = a;
        return slot;
    }
    TUTTI_CONSTEXPR int give_back(activation a) {
        const int slot = find(a);
        slots_.at(static_cast<std::size_t>(slot)) = nothing;
        return slot;
    }
    [[nodiscard]] TUTTI_CONSTEXPR int find(activation a) const {
        return static_cast<int>(std::find(slots_.begin(), slots_.end(), a) - slots_.begin());
    }

    shape of_;
    int worker_;
    std::vector<activation> slots_;
    std::vector<step> steps_;
};

namespace detail {

/// `all` forwards and as many backwards: so many forwards ahead, then one of each in turn, then the backwards that are
/// left. `forward` and `backward` take the number of their turn, from 0.
template <class Forward, class Backward>
constexpr void alternate(int all, int ahead, Forward forward, Backward backward) {
    ahead = std::min(all, ahead);
    for (int k = 0; k < ahead; ++k) forward(k);
    for (int k = ahead; k < all; ++k) {
        forward(k);
        backward(k - ahead);
    }
    for (int k = all - ahead; k < all; ++k) backward(k);
}

} // namespace detail

} // namespace tutti::training::pipeline
