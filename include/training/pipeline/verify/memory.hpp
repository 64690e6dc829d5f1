// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../promise.hpp"
#include "../step.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace tutti::training::pipeline::detail {

/// A microbatch on a chunk, as a symbol for what is computed of it.
struct symbol {
    int microbatch = -1, chunk = -1;
    friend bool operator==(const symbol&, const symbol&) = default;
};
[[nodiscard]] inline std::string in_words(const symbol& s) {
    return "microbatch " + std::to_string(s.microbatch) + " on chunk " + std::to_string(s.chunk);
}

/// What lies in the memory of one worker while it walks its list: activations in slots, two gradients, weights. Steps
/// of one worker are taken in order, so this needs no other worker.
class memory {
public:
    memory(const shape& of, const std::vector<step>& steps)
        : of_(of), steps_(steps),
          forwards_(static_cast<std::size_t>(of.microbatches) * static_cast<std::size_t>(chunks_of(of))),
          needed_(oldest_needed(steps)), added_(static_cast<std::size_t>(chunks_of(of)), -1) {}

    /// Takes the i-th step. Empty, or what is wrong with it.
    [[nodiscard]] std::string take(std::size_t i) {
        const step& s = steps_[i];
        switch (s.what) {
        case action::receive_activation: return receive_activation(s);
        case action::forward: return forward(s);
        case action::send_activation: return send_activation(s);
        case action::receive_gradient: return receive_gradient(s);
        case action::backward: return backward(s);
        case action::send_gradient: return send_gradient(s);
        case action::update: return update(s, i);
        }
        return {};
    }

    /// What is missing when all steps are taken, or nothing.
    [[nodiscard]] std::string left(int worker) const {
        for (int m = 0; m < of_.microbatches; ++m)
            for (int c = worker; c < chunks_of(of_); c += of_.stages) {
                const record& r = at({m, c});
                if (!r.forwarded) return "forward of " + in_words(symbol{m, c}) + " never runs";
                if (!r.sent && c + 1 < chunks_of(of_))
                    return "the output of " + in_words(symbol{m, c}) + " is never sent";
                if (!r.backwarded) return "backward of " + in_words(symbol{m, c}) + " never runs";
            }
        if (outgoing_) return "the gradient of " + in_words(*outgoing_) + " is never sent";
        if (!pending_.empty()) return "the gradient of " + in_words(pending_.front()) + " enters no update";
        return {};
    }

    [[nodiscard]] const figures& measured() const noexcept { return measured_; }
    /// Of each update, gradients of a chunk come in the order of their microbatches.
    [[nodiscard]] bool in_order() const noexcept { return in_order_; }
    /// The version that was made with the gradient. Precondition: nothing is left.
    [[nodiscard]] int applied(symbol s) const { return at(s).applied; }

private:
    struct record {
        bool arrived = false, forwarded = false, sent = false, received = false, backwarded = false;
        int version = 0; ///< which it was computed with
        int applied = 0; ///< of the update that has its gradient
    };
    struct activation {
        symbol of;
        bool forwarded = false;
    };

    [[nodiscard]] record& at(symbol s) {
        return forwards_[static_cast<std::size_t>(s.microbatch * chunks_of(of_) + s.chunk)];
    }
    [[nodiscard]] const record& at(symbol s) const {
        return forwards_[static_cast<std::size_t>(s.microbatch * chunks_of(of_) + s.chunk)];
    }
    [[nodiscard]] std::optional<activation>& slot(const step& s) {
        if (static_cast<std::size_t>(s.slot) >= slots_.size()) slots_.resize(static_cast<std::size_t>(s.slot) + 1);
        return slots_[static_cast<std::size_t>(s.slot)];
    }
    [[nodiscard]] static std::string place(const step& s) { return "slot " + std::to_string(s.slot); }

    /// Of each step, the oldest version that steps behind it use.
    [[nodiscard]] static std::vector<int> oldest_needed(const std::vector<step>& steps) {
        std::vector<int> all(steps.size());
        int oldest = std::numeric_limits<int>::max();
        for (std::size_t i = steps.size(); i-- > 0;) {
            all[i] = oldest;
            if (computes(steps[i])) oldest = std::min(oldest, steps[i].version);
        }
        return all;
    }

    [[nodiscard]] std::string fill(const step& s) {
        auto& here = slot(s);
        if (here) return place(s) + " still holds " + in_words(here->of);
        here = activation{{s.microbatch, s.chunk}, false};
        // The engine has slots up to the highest number.
        measured_.activations = std::max(measured_.activations, s.slot + 1);
        return {};
    }
    [[nodiscard]] std::string receive_activation(const step& s) {
        record& r = at({s.microbatch, s.chunk});
        if (r.arrived) return "it has been received before";
        r.arrived = true;
        return fill(s);
    }
    [[nodiscard]] std::string forward(const step& s) {
        const symbol mine{s.microbatch, s.chunk};
        if (at(mine).forwarded) return "it has run before";
        if (s.chunk == 0)
            if (auto fault = fill(s); !fault.empty()) return fault;
        auto& here = slot(s);
        if (!here || here->of != mine) return place(s) + " does not hold its input";
        if (s.version > latest_)
            return "its weights are version " + std::to_string(s.version) + ", which is yet to be made";
        here->forwarded = true;
        at(mine).forwarded = true;
        at(mine).version = s.version;
        return {};
    }
    [[nodiscard]] std::string send_activation(const step& s) {
        const symbol mine{s.microbatch, s.chunk};
        const auto& here = slot(s);
        if (!here || here->of != mine || !here->forwarded) return place(s) + " does not hold its output";
        if (at(mine).sent) return "it has been sent before";
        at(mine).sent = true;
        return {};
    }
    [[nodiscard]] std::string receive_gradient(const step& s) {
        if (incoming_) return "the gradient of " + in_words(*incoming_) + " has come in and is yet to be used";
        record& r = at({s.microbatch, s.chunk});
        if (r.received) return "it has been received before";
        r.received = true;
        incoming_ = symbol{s.microbatch, s.chunk};
        return {};
    }
    [[nodiscard]] std::string backward(const step& s) {
        const symbol mine{s.microbatch, s.chunk};
        record& r = at(mine);
        auto& here = slot(s);
        if (r.backwarded) return "it has run before";
        if (!here || here->of != mine || !here->forwarded) return place(s) + " does not hold its activation";
        if (s.chunk + 1 < chunks_of(of_)) {
            if (incoming_ != mine) return "the gradient of its output has not been received";
            incoming_.reset();
        }
        if (s.chunk > 0) {
            if (outgoing_) return "the gradient of " + in_words(*outgoing_) + " is yet to be sent";
            outgoing_ = mine;
        }
        if (s.version != r.version)
            return "its weights are version " + std::to_string(s.version) + ", and its forward's version " +
                   std::to_string(r.version);
        r.backwarded = true;
        here.reset();
        pending_.push_back(mine);
        int& before = added_[static_cast<std::size_t>(s.chunk)];
        in_order_ = in_order_ && before < s.microbatch;
        before = s.microbatch;
        return {};
    }
    [[nodiscard]] std::string send_gradient(const step& s) {
        if (outgoing_ != symbol{s.microbatch, s.chunk}) return "its gradient is not there to be sent";
        outgoing_.reset();
        return {};
    }
    [[nodiscard]] std::string update(const step& s, std::size_t i) {
        if (s.version != latest_ + 1) return "the latest version is " + std::to_string(latest_);
        if (pending_.empty()) return "there is no gradient to apply";
        for (const symbol& g : pending_) {
            at(g).applied = s.version;
            measured_.staleness = std::max(measured_.staleness, latest_ - at(g).version);
        }
        pending_.clear();
        std::fill(added_.begin(), added_.end(), -1);
        ++latest_;
        measured_.versions = std::max(measured_.versions, latest_ - std::min(latest_, needed_[i]) + 1);
        return {};
    }

    const shape of_;
    const std::vector<step>& steps_;
    std::vector<record> forwards_; ///< by microbatch and chunk
    std::vector<int> needed_;
    std::vector<int> added_; ///< of each chunk, the last microbatch whose gradient the next update has
    std::vector<std::optional<activation>> slots_;
    std::optional<symbol> incoming_, outgoing_;
    std::vector<symbol> pending_; ///< gradients that no update has applied
    int latest_ = 0;
    figures measured_;
    bool in_order_ = true;
};

} // namespace tutti::training::pipeline::detail
