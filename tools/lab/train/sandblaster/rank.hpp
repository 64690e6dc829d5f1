// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../interrupt.hpp"
#include "../server_mode.hpp"
#include "../step_compute.hpp"
#include "portion_maths.hpp"

#include <training/buckets/activity.hpp>
#include <training/sandblaster.hpp>

#include <algorithm>
#include <chrono>
#include <functional>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

namespace tutti::tools {

/// All but `computes` is of the coordinator.
struct sandblaster_hooks : run_hooks {
    /// No step decreases the loss of any batch, so the training ends.
    std::function<void(std::size_t steps)> stuck = [](std::size_t) {};
    std::function<void(const std::vector<int>& lost)> ended = [](const auto&) {};
};

[[nodiscard]] inline training::sandblaster::crew_options options_of(const train_settings& s) {
    return {.deadline = silence_of(s), .silence = silence_of(s), .goodbye = silence_of(s)};
}

/// The first settings.servers ranks hold shards, and rank 0 coordinates. The others are replicas. Throws
/// std::invalid_argument where none is left for that.
[[nodiscard]] inline training::sandblaster::crew crew_of(const train_settings& s, std::uint64_t parameters, int ranks) {
    server_ranks of = server_ranks_of(s, ranks, "replica");
    return {parameters, 0, std::move(of.servers), std::move(of.others)};
}

/// The rank that coordinates: it takes steps of L-BFGS and has the weights tested.
template <class Communicator>
class sandblaster_coordinator {
public:
    sandblaster_coordinator(const training::sandblaster::crew_links<Communicator>& links,
                            const train_settings& settings, const portion_maths& maths, std::vector<float> first,
                            training::time_source now)
        : settings_(settings), maths_(maths), now_(std::move(now)),
          boss_(links, std::move(first), options_of(settings)), method_(boss_), replicas_(links.of().replicas.size()),
          part_(links.part(0).count) {
        if (settings.portions > maths.batch()) throw std::invalid_argument("there are more --portions than examples");
    }

    /// Steps until so many epochs of examples have been evaluated. After each step that ends an epoch the weights are
    /// tested. Returns whether all replicas always had the same weights.
    bool run(const sandblaster_hooks& hooks) {
        bool agreed = true;
        const std::size_t all = maths_.data().steps() * maths_.batch();
        epoch_result e;
        for (std::size_t steps = 1; evaluated_ / all < settings_.epochs; ++steps) {
            const auto begin = now_();
            step(e);
            e.seconds += std::chrono::duration<double>(now_() - begin).count();
            hooks.told(evaluated_ / maths_.batch(), e.loss);
            if (interrupt_note::noted()) {
                hooks.interrupted(steps);
                break;
            }
            const bool is_stuck = stuck_ >= maths_.data().steps();
            if (!is_stuck && evaluated_ / all == e.epoch) continue;
            e.epoch = std::max<std::size_t>(1, evaluated_ / all);
            test(e);
            hooks.tested(e);
            agreed = agreed && e.weights_agree;
            e.seconds = 0;
            if (is_stuck) {
                hooks.stuck(steps);
                break;
            }
        }
        boss_.finish();
        hooks.ended(boss_.lost_ranks());
        return agreed;
    }

private:
    using vector_id = training::sandblaster::vector_id;

    /// Several for each replica, of some examples at least.
    [[nodiscard]] std::size_t portions_of(std::size_t examples) const {
        const std::size_t wanted = settings_.portions > 0 ? settings_.portions : 8 * replicas_;
        return std::clamp<std::size_t>(wanted, 1, examples);
    }
    /// But for the remarks.
    [[nodiscard]] static training::sandblaster::portion_result
    sum_of(std::span<const training::sandblaster::portion_result> results) {
        training::sandblaster::portion_result all;
        for (const auto& r : results) all.loss += r.loss, all.right += r.right, all.rows += r.rows;
        return all;
    }
    void step(epoch_result& e) {
        if (maths_.data().steps() > 1) method_.change_objective();
        const auto portions = static_cast<std::uint32_t>(portions_of(maths_.batch()));
        training::sandblaster::portion_result all;
        const auto done = method_.step([&](vector_id x, vector_id gradient) {
            evaluated_ += maths_.batch();
            all = sum_of(boss_.evaluate(x, {batch_, portions}, gradient));
            return all.loss;
        });
        stuck_ = done.length > 0 ? 0 : stuck_ + 1;
        ++batch_;
        if (maths_.data().steps() == 1) batch_ = 0;
        e.loss = done.value;
        e.train_accuracy = all.right / all.rows;
        const std::size_t bytes = sizeof(float) * static_cast<std::size_t>(part_);
        e.bytes = {bytes, bytes, bytes * (method_.vectors() - 2)};
    }
    void test(epoch_result& e) {
        const auto portions = static_cast<std::uint32_t>(std::min(replicas_, maths_.data().most_tests()));
        const auto results = boss_.evaluate(method_.weights(), {batch_of_tests, portions});
        const auto all = sum_of(results);
        e.test_loss = all.loss / all.rows;
        e.test_accuracy = all.right / all.rows;
        e.exposed_seconds = e.seconds; // a coordinator does nothing but wait for others
        e.weights_hash = results[0].remark;
        e.weights_agree = std::ranges::all_of(results, [&](const auto& r) { return r.remark == e.weights_hash; });
    }

    const train_settings& settings_;
    const portion_maths& maths_;
    const training::time_source now_;
    training::sandblaster::coordinator<Communicator> boss_;
    training::sandblaster::lbfgs<training::sandblaster::coordinator<Communicator>> method_;
    const std::size_t replicas_;
    const std::uint64_t part_; ///< weights of this rank's shard
    std::size_t evaluated_ = 0;
    std::uint64_t batch_ = 0;
    std::size_t stuck_ = 0; ///< steps, one after the other, whose line search found nothing
};

/// One rank of a training by Sandblaster. `maths` may be shared by ranks in one thread. Returns whether the weights
/// always agreed. Collective. Throws mismatch where ranks have other data.
template <class Communicator>
bool train_by_sandblaster(const Communicator& world, const train_settings& s, portion_maths& maths,
                          const sandblaster_hooks& hooks) {
    namespace sandblaster = training::sandblaster;
    training::detail::require_same_lines(world, "sandblaster", maths.lines(), "give all ranks the same data");
    const sandblaster::crew_links<Communicator> links(world, crew_of(s, maths.parameters(), world.size()));
    if (links.replica() >= 0) {
        std::size_t begun = 0;
        sandblaster::replica own(links, options_of(s));
        own.run([&](const sandblaster::portion& p, std::span<const float> weights, std::span<float> gradient,
                    const auto& is_outdated) {
            ++begun;
            return maths.compute(p, weights, gradient, [&](std::size_t slices) {
                hooks.computes(begun, {}, slices);
                return !is_outdated();
            });
        });
        return true;
    }
    const auto own = links.part(static_cast<std::size_t>(links.shard()));
    const std::vector<float> all = maths.first_weights();
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(own.first);
    std::vector<float> first(begin, begin + static_cast<std::ptrdiff_t>(own.count));
    if (links.coordinates())
        return sandblaster_coordinator(links, s, maths, std::move(first), training::clock_of(world)).run(hooks);
    sandblaster::shard_server(links, std::move(first), options_of(s)).serve();
    return true;
}

} // namespace tutti::tools
