// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "learning_rates.hpp"
#include "training_job.hpp"

#include <training/downpour.hpp>

#include <utility>
#include <vector>

namespace tutti::tools {

/// A replica whose weights are on servers. No call is collective: ranks need not be in step.
class replica_job : public training_job {
public:
    replica_job(const std::vector<training::parameter>& parameters, training::time_source now)
        : now_(std::move(now)), begin_{0} {
        for (const auto& p : parameters) begin_.push_back(begin_.back() + p.elements);
        gradients_.resize(begin_.back());
    }

    /// What the servers have to get from the replica before it ends.
    virtual void end() = 0;

    std::span<const float> weights(std::size_t i) override {
        return all_weights().subspan(begin_[i], begin_[i + 1] - begin_[i]);
    }
    std::span<float> gradient(std::size_t i) override {
        return std::span(gradients_).subspan(begin_[i], begin_[i + 1] - begin_[i]);
    }
    void clear() override {
        std::ranges::fill(gradients_, 0.F);
        waiting([this] { begin_step(); });
    }
    /// What is not finite would spread to all that read the weights: the gradient of such a step counts as zero.
    void step(double rate, double) override {
        if (!is_finite_) std::ranges::fill(gradients_, 0.F);
        waiting([&] { end_step(rate); });
        ++steps_;
    }
    void finish() override { is_finite_ = look_.finds_all_finite(*this, begin_.size() - 1); }
    std::optional<bad_step> first_bad() override { return look_.first_bad(); }
    void clip(double most) override { training::clip(gradients_, most); }
    std::size_t steps() override { return steps_; }
    training::bytes_held bytes() override { return {all_weights().size_bytes(), gradients_.size() * sizeof(float), 0}; }
    std::chrono::nanoseconds exposed() const override { return waited_; }

    /// Of all tensors, as a gradient of the next step takes them.
    [[nodiscard]] virtual std::span<const float> all_weights() const = 0;

protected:
    [[nodiscard]] std::span<const float> all_gradients() const noexcept { return gradients_; }

private:
    virtual void begin_step() = 0;
    virtual void end_step(double rate) = 0;

    void waiting(const auto& call) {
        const auto start = now_();
        call();
        waited_ += now_() - start;
    }

    const training::time_source now_;
    std::vector<std::size_t> begin_; // by tensor, and the end
    std::vector<float> gradients_;
    std::chrono::nanoseconds waited_{};
    std::size_t steps_ = 0;
    own_look look_;
    bool is_finite_ = true; ///< the gradient of this step
};

/// Each step reads all weights, and pushes its gradients as an update of its own. How old what it reads may be, the
/// servers decide.
template <class Communicator>
class store_job final : public replica_job {
public:
    store_job(training::server::client<Communicator>& store, const std::vector<training::parameter>& parameters,
              training::time_source now)
        : replica_job(parameters, std::move(now)), store_(store), weights_(all_gradients().size()) {}

    void end() override {}
    std::span<const float> all_weights() const override { return weights_; }

private:
    void begin_step() override { store_.get(0, weights_); }
    void end_step(double rate) override {
        store_.push(0, all_gradients(), rate);
        store_.tick();
    }

    training::server::client<Communicator>& store_;
    std::vector<float> weights_;
};

/// A replica of Downpour SGD. Where the servers' rule is not `sgd`, it descends by itself at the usual rate of that.
template <class Communicator>
class downpour_job final : public replica_job {
public:
    downpour_job(training::server::client<Communicator>& store, const std::vector<training::parameter>& parameters,
                 const train_settings& s, const std::function<double(std::size_t)>& rates, training::time_source now)
        : replica_job(parameters, std::move(now)),
          replica_(store, all_gradients().size(), {s.fetch, s.push, own_rates(s, rates), rates}) {}

    void end() override { replica_.finish(); }
    std::span<const float> all_weights() const override { return replica_.weights(); }

private:
    static std::function<double(std::size_t)> own_rates(const train_settings& s,
                                                        const std::function<double(std::size_t)>& rates) {
        if (s.optimizer == "sgd") return rates;
        return [rates, scale = usual_rate("sgd") / peak_rate(s)](std::size_t step) { return scale * rates(step); };
    }
    void begin_step() override { replica_.begin(); }
    void end_step(double) override { replica_.step(all_gradients()); } // its rates are those that it was made with

    training::downpour<Communicator> replica_;
};

} // namespace tutti::tools
