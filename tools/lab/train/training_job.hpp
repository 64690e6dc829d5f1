// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <training/checkpoint.hpp>
#include <training/clip.hpp>
#include <training/compressed/traffic.hpp>
#include <training/sharded.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tutti::tools {

/// A gradient of one rank that is NaN or infinite.
struct bad_step {
    std::size_t step; ///< from 1
    std::size_t parameter;
};

/// Weights, gradients and an optimizer, as a replica of a model needs them. Parameters are those of training::sharded,
/// and so are the rules of use. Ranks need not be in step.
class training_job {
public:
    virtual ~training_job() = default;
    /// Until release(i), or the next step.
    [[nodiscard]] virtual std::span<const float> weights(std::size_t i) = 0;
    virtual void release(std::size_t) {}
    /// To which a backward pass adds: zero after clear().
    [[nodiscard]] virtual std::span<float> gradient(std::size_t i) = 0;
    virtual void clear() = 0;
    virtual void ready(std::size_t) {}
    virtual void finish() = 0;
    virtual void reduces(bool) {}
    /// This rank's first gradient that was not finite, where each looks at its own alone.
    [[nodiscard]] virtual std::optional<bad_step> first_bad() { return {}; }
    virtual void clip(double most) = 0;
    /// `loss` is the mean over this rank's examples, for those that go by it.
    virtual void step(double rate, double loss) = 0;
    [[nodiscard]] virtual std::size_t steps() = 0;
    [[nodiscard]] virtual training::bytes_held bytes() = 0;
    /// Time in calls that move gradients, so far.
    [[nodiscard]] virtual std::chrono::nanoseconds exposed() const = 0;
    /// Of the last round that reduced.
    [[nodiscard]] virtual std::span<const training::activity> activities() const { return {}; }
};

/// A job that is spread over ranks in step as one of the modes does it: all calls but bytes() and exposed() are for all
/// ranks together.
class joint_job : public training_job {
public:
    /// Of the last round: whose gradient is not finite, where ranks average them. The same on all ranks.
    [[nodiscard]] virtual std::optional<training::bad_gradient> bad() { return {}; }
    /// In place of step(), with the weights as they are: where there may be bad gradients.
    virtual void leave_out() {}
    /// In the step that begins this rank waits for all others anyway. The same on all ranks.
    [[nodiscard]] virtual bool meets() { return true; }
    /// Where ranks have weights of their own: until show_own(), weights(i) are the average of all ranks' weights.
    /// Returns the consensus distance; nothing where all have the same.
    virtual std::optional<double> show_average() { return {}; }
    virtual void show_own() {}
    /// What this rank has sent so far, where that is counted.
    [[nodiscard]] virtual std::optional<training::compressed::traffic> sent() { return {}; }
    virtual void save(const std::string& path, std::uint64_t seed) = 0;
    /// Returns the seed.
    virtual std::uint64_t restore(const std::string& path) = 0;
};

/// Looks at the gradients of one rank, before they are averaged or sent, if ever.
class own_look {
public:
    /// Whether all of a job's are finite.
    bool finds_all_finite(training_job& job, std::size_t parameters) {
        for (std::size_t i = 0; i < parameters; ++i)
            if (!training::detail::all_finite(job.gradient(i))) {
                if (!first_) first_ = bad_step{job.steps() + 1, i};
                return false;
            }
        return true;
    }
    [[nodiscard]] const std::optional<bad_step>& first_bad() const noexcept { return first_; }

private:
    std::optional<bad_step> first_;
};

/// Every rank has all.
template <class Communicator, training::update_rule Rule>
class whole_job final : public joint_job {
public:
    whole_job(const Communicator& world, const std::vector<training::parameter>& parameters, Rule rule,
              std::span<const float> weights, const training::bucket_options& options)
        : world_(world), buckets_(world, parameters, options, weights), optimizer_(parameters, rule),
          weights_(weights.begin(), weights.end()), narrow_(options.as == training::wire::bfloat16) {}

    std::span<const float> weights(std::size_t i) override {
        return std::span(weights_).subspan(buckets_.plan().begin(i), buckets_.plan().elements(i));
    }
    std::span<float> gradient(std::size_t i) override { return buckets_.gradient(i); }
    void clear() override { std::ranges::fill(buckets_.gradients(), 0.F); }
    void ready(std::size_t i) override { buckets_.ready(i); }
    void finish() override { buckets_.finish(); }
    void reduces(bool does) override { buckets_.reduces(does); }
    std::optional<training::bad_gradient> bad() override { return buckets_.bad(); }
    void leave_out() override { optimizer_.resume(optimizer_.steps() + 1, optimizer_.last_rate()); }
    void clip(double most) override { training::clip(buckets_.gradients(), most); }
    void step(double rate, double) override { optimizer_.step(rate, weights_, buckets_.gradients()); }
    std::size_t steps() override { return optimizer_.steps(); }
    void save(const std::string& path, std::uint64_t seed) override {
        training::save(world_, path, buckets_.plan(), std::span(weights_), optimizer_, seed);
    }
    std::uint64_t restore(const std::string& path) override {
        return training::restore(world_, path, buckets_.plan(), std::span(weights_), optimizer_);
    }
    training::bytes_held bytes() override {
        const std::size_t all = weights_.size() * sizeof(float);
        return {all, narrow_ ? all + all / 2 : all, Rule::states * all};
    }
    std::chrono::nanoseconds exposed() const override { return buckets_.exposed(); }
    std::span<const training::activity> activities() const override { return buckets_.activities(); }

private:
    const Communicator& world_;
    training::gradient_buckets<Communicator> buckets_;
    training::optimizer<Rule> optimizer_;
    std::vector<float> weights_;
    bool narrow_;
};

/// Each rank has a part of what the stage spreads.
template <class Communicator, training::update_rule Rule>
class sharded_job final : public joint_job {
public:
    sharded_job(const Communicator& world, const std::vector<training::parameter>& parameters, training::stage stage,
                Rule rule, std::span<const float> weights, const training::bucket_options& options)
        : world_(world), stage_(stage), all_(world, parameters, stage, rule, weights, options) {}

    std::span<const float> weights(std::size_t i) override { return all_.weights(i); }
    void release(std::size_t i) override { all_.release(i); }
    std::span<float> gradient(std::size_t i) override { return all_.gradient(i); }
    void clear() override {
        if (stage_ != training::stage::states) return; // where gradients are scattered, each round begins with zeros
        for (std::size_t i = 0; i < all_.plan().parameters().size(); ++i) std::ranges::fill(all_.gradient(i), 0.F);
    }
    void ready(std::size_t i) override { all_.ready(i); }
    void finish() override { all_.finish(); }
    void reduces(bool does) override { all_.reduces(does); }
    std::optional<training::bad_gradient> bad() override { return all_.bad(); }
    void leave_out() override {
        auto& of = all_.own_optimizer();
        of.resume(of.steps() + 1, of.last_rate());
        all_.renewed();
    }
    void clip(double most) override { all_.clip(most); }
    void step(double rate, double) override { all_.step(rate); }
    std::size_t steps() override { return all_.own_optimizer().steps(); }
    void save(const std::string& path, std::uint64_t seed) override { training::save(world_, path, all_, seed); }
    std::uint64_t restore(const std::string& path) override { return training::restore(world_, path, all_); }
    training::bytes_held bytes() override { return all_.bytes(); }
    std::chrono::nanoseconds exposed() const override { return all_.exposed(); }
    std::span<const training::activity> activities() const override { return all_.activities(); }

private:
    const Communicator& world_;
    training::stage stage_;
    training::sharded<Communicator, Rule> all_;
};

} // namespace tutti::tools
