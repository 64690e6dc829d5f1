// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "downpour/warm_start.hpp"
#include "server/client.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tutti::training {

/// How a replica of Downpour SGD goes.
struct downpour_options {
    std::size_t fetch = 1;                      ///< steps from one fetch to the next
    std::size_t push = 1;                       ///< steps from one push to the next
    std::function<double(std::size_t)> rate{};  ///< of the replica's own descent, by its step from 0
    std::function<double(std::size_t)> store{}; ///< of the servers' rule, likewise; empty: the same
};

/// A replica of Downpour SGD: it descends by itself, now and then fetches the weights of a store, and pushes the sum of
/// its gradients. Replicas know nothing of each other, and none waits for another. The servers have a rule of their
/// own: the paper's is Adagrad, with server::asynchronous.
///
/// A step is begin(), a gradient at weights(), and step(gradient). A fetch is started in each step whose number is a
/// multiple of `fetch`, and is under way while the gradient is computed. Then the fetched weights take the place of the
/// replica's own, which descend by this gradient. They lack what the replica has not pushed yet. After `push` steps the
/// sum of their gradients goes to the servers. The next push waits until that is acknowledged.
///
/// With one replica, servers with the rule `sgd`, and fetch = push = 1, weights have the bits of serial descent.
///
/// Source: Dean et al., Large Scale Distributed Deep Networks, NIPS 2012, algorithm 7.1. There a push ends step 0, and
/// then each step whose number is a multiple. Here it ends the last of `push` steps, so that a fetch of the same period
/// brings back all that the replica has done.
///
/// Errors: as of server::client. Memory: three floats a weight, and the client's requests.
template <class Communicator>
class downpour {
public:
    /// Keys from 0 on are the weights, which must have their first values. Reads them. `store` must outlive it. Throws
    /// invalid_argument for a period of 0 steps or without a rate.
    downpour(server::client<Communicator>& store, std::size_t weights, downpour_options options)
        : store_(store), options_(std::move(options)), weights_(weights), fetched_(weights), accrued_(weights) {
        if (options_.fetch == 0 || options_.push == 0) reject("downpour", "a period has 1 step at least");
        if (!options_.rate) reject("downpour", "there is no learning rate");
        if (!options_.store) options_.store = options_.rate;
        store_.get(0, weights_);
    }
    downpour(const downpour&) = delete;
    downpour& operator=(const downpour&) = delete;
    /// A fetch that is under way still writes here.
    ~downpour() {
        try {
            land();
        } catch (const error&) { // the client is unusable, and writes no more
        }
    }

    /// The replica's own, until the next step().
    [[nodiscard]] std::span<const float> weights() const noexcept { return weights_; }
    /// Steps so far.
    [[nodiscard]] std::size_t steps() const noexcept { return steps_; }

    /// Before the gradient of a step.
    void begin() {
        if (steps_ > 0 && steps_ % options_.fetch == 0 && !under_way_) under_way_ = store_.start_get(0, fetched_);
    }
    /// With the gradient at weights(). Throws invalid_argument for another number of gradients, or one that is NaN or
    /// infinite: then nothing has changed. A sum that overflows is left out, and told likewise.
    void step(std::span<const float> gradient) {
        if (gradient.size() != weights_.size())
            reject("downpour",
                   std::to_string(gradient.size()) + " gradients of " + std::to_string(weights_.size()) + " weights");
        if (!detail::all_finite(gradient)) reject("downpour", "a gradient is NaN or infinite", "leave out this step");
        if (land()) weights_.swap(fetched_);
        const auto rate = static_cast<float>(options_.rate(steps_));
        for (std::size_t i = 0; i < weights_.size(); ++i) {
            weights_[i] -= rate * gradient[i];
            accrued_[i] += gradient[i];
        }
        if (++steps_ % options_.push == 0) push();
    }
    /// Pushes the rest. Returns when all pushes are acknowledged.
    void finish() {
        if (steps_ % options_.push != 0) push();
        store_.tick();
    }

private:
    /// Whether a fetch was under way, which is over now.
    bool land() {
        if (!under_way_) return false;
        store_.wait(*std::exchange(under_way_, {}));
        return true;
    }
    /// A clock of the store is a push.
    void push() {
        if (has_pushed_) store_.tick();
        const auto clear = [this] { accrued_.assign(accrued_.size(), 0); };
        try {
            store_.push(0, accrued_, options_.store(steps_ - 1));
        } catch (const error&) {
            clear();
            throw;
        }
        clear();
        has_pushed_ = true;
    }

    server::client<Communicator>& store_;
    downpour_options options_;
    std::vector<float> weights_, fetched_;
    std::vector<float> accrued_; ///< the sum of gradients since the last push
    std::optional<typename server::client<Communicator>::ticket> under_way_;
    std::size_t steps_ = 0;
    bool has_pushed_ = false;
};

} // namespace tutti::training
