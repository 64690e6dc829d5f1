// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../collectives/allreduce.hpp"
#include "../collectives/prepared.hpp"
#include "../collectives/reduction/narrow_float.hpp"
#include "buckets/agreement.hpp"
#include "buckets/bucket_round.hpp"
#include "buckets/finite_gradients.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tutti::training {

/// The element type in which gradients travel.
enum class wire : std::uint8_t {
    float32,  ///< as they are
    bfloat16, ///< half the bytes; gradients are rounded before they travel, and at each sum on their way
};

/// How gradients travel. The same on all ranks.
struct bucket_options {
    bucket_bytes bytes{};                ///< how many together
    wire as = wire::float32;             ///< in which type
    std::optional<algorithm::any> how{}; ///< by which algorithm; the library chooses one for each bucket if none
    bool finds_bad = false;              ///< whether rounds look for gradients that are not finite: see bad()
};

namespace detail {

/// What ranks compare before they train together. Weights, where there are any, are compared by a hash of their bits.
[[nodiscard]] inline std::vector<std::string> lines_of(const bucket_plan& plan, const bucket_options& o,
                                                       std::span<const float> weights) {
    std::vector<std::string> lines{"buckets of " + std::to_string(o.bytes.first) + " and " +
                                   std::to_string(o.bytes.most) + " bytes as " +
                                   (o.as == wire::float32 ? "float32" : "bfloat16") + " by " +
                                   (o.how ? std::string(o.how->name()) : "the library's choice") +
                                   (o.finds_bad ? ", looking for bad gradients" : "")};
    if (!weights.empty()) lines[0] += ", " + std::to_string(weights.size()) + " weights";
    for (std::size_t i = 0; i < plan.parameters().size(); ++i) {
        const parameter& p = plan.parameters()[i];
        lines.push_back(p.name + ", " + std::to_string(p.elements) + " elements" +
                        (p.is_decayed ? "" : ", not decayed"));
        if (!weights.empty() && weights.size() == plan.elements())
            lines.back() +=
                ", weights with the hash " + std::to_string(hash_of(weights.subspan(plan.begin(i), p.elements)));
    }
    return lines;
}

/// On all ranks alike, once they agree on both numbers.
inline void require_all_weights(const char* operation, std::span<const float> weights, const bucket_plan& plan) {
    if (weights.size() != plan.elements())
        reject(operation, std::to_string(weights.size()) + " weights for parameters of " +
                              std::to_string(plan.elements()) + " elements");
}

/// A communicator of its own for ranks that have the same parameters, options and weights, and the same `more`.
template <class Communicator>
[[nodiscard]] Communicator agreed(const Communicator& world, const char* operation, const bucket_plan& plan,
                                  const bucket_options& o, std::span<const float> weights,
                                  const std::string& more = {}) {
    Communicator own = world.duplicate();
    auto lines = lines_of(plan, o, weights);
    lines[0] += more;
    require_same_lines(own, operation, lines,
                       "list the same parameters in the same order on all ranks, and begin with the same weights, as "
                       "after broadcast_parameters");
    if (!weights.empty()) require_all_weights(operation, weights, plan);
    return own;
}

/// to[i] = from[i], rounded to the other type.
template <class From, class To>
void convert(std::span<const From> from, std::span<To> to) noexcept {
    for (std::size_t i = 0; i < from.size(); ++i) to[i] = To(static_cast<float>(from[i]));
}

} // namespace detail

/// The gradients of a model, averaged over all ranks while the backward pass still computes. They lie one after the
/// other in one array, in forward order, cut into buckets that are filled from the last layer on. As soon as a bucket
/// is complete, its allreduce starts. In a round the caller computes each gradient(i) and calls ready(i), last layers
/// first, and then finish(). After that every gradient is the average, the same bits on all ranks, until the caller
/// writes it in the next round.
///
/// Preconditions on all ranks: the same parameters and options; the same rounds. The order of ready() may differ.
/// A parameter that is not ready by finish() counts as zero on this rank: its gradient is cleared.
/// It has a communicator of its own, so other calls on `world` may come in between. One thread at a time may call. With
/// progress::by_waiters buckets move on all the time, else inside of calls: ready() and progress() move all of them.
///
/// Errors: ready(), progress() and finish() throw as request::wait does, after which only the destructor is of use.
/// Memory: 4 bytes an element, 2 more with wire::bfloat16, and the library's scratch; allocated once.
/// Cost: that of an allreduce a bucket. A communicator moves four of them at once, and later ones follow.
/// Sources: Li et al., PyTorch Distributed, VLDB 2020; Sergeev and Del Balso, Horovod, 2018 (fusion).
template <class Communicator>
class gradient_buckets {
public:
    /// Collective. `weights` are those that training begins with, of all parameters in forward order. They are
    /// compared and not kept, which costs one pass over them. Without any, nothing sees that replicas differ.
    ///
    /// Throws cause::mismatch on all ranks if they have other parameters, options or weights. The error has the first
    /// that differs, and names the ranks; `world` stays usable. Throws invalid_argument if the algorithm has no
    /// allreduce, and for a number of weights that is not that of the parameters.
    gradient_buckets(const Communicator& world, std::vector<parameter> parameters, bucket_options options = {},
                     std::span<const float> weights = {})
        : plan_(std::move(parameters), options.bytes), options_(options),
          world_(detail::agreed(world, "gradient_buckets", plan_, options, weights)), gradients_(plan_.elements()),
          narrow_(options.as == wire::bfloat16 ? plan_.elements() : 0),
          round_(plan_, options.as == wire::bfloat16 ? sizeof(bfloat16) : sizeof(float), clock_of(world_)) {
        calls_.reserve(plan_.buckets().size());
        for (const bucket& b : plan_.buckets()) calls_.push_back(prepare(b));
    }
    gradient_buckets(const gradient_buckets&) = delete;
    gradient_buckets& operator=(const gradient_buckets&) = delete;

    /// Where the parameters lie in the array of all, and how they are cut.
    [[nodiscard]] const bucket_plan& plan() const noexcept { return plan_; }
    /// Of all parameters, in forward order. Zero before the first round.
    [[nodiscard]] std::span<float> gradients() noexcept { return gradients_; }
    /// Of one parameter: the caller's until ready(i), and again after finish().
    [[nodiscard]] std::span<float> gradient(std::size_t i) {
        return gradients().subspan(plan_.begin(i), plan_.elements(i));
    }

    /// The gradient of parameter i is complete. Starts the buckets that are complete with it, and makes progress.
    /// Throws invalid_argument if it is ready already in this round.
    void ready(std::size_t i) { round_.ready(i, starter(), ender()); }
    /// Moves the buckets that are under way: for long computations between two ready().
    void progress() { round_.progress(starter(), ender()); }
    /// Ends the round: starts the buckets that are left, and waits for all.
    void finish() {
        round_.finish([this] { clear_unused(); }, starter(), ender(),
                      [this] {
                          check_.look_at_averages(plan_, gradients_);
                          check_.tell(world_);
                      });
    }

    /// Whether this round reduces and those after it, as they do at first. Rounds that do not are microbatches whose
    /// gradients stay on this rank: the caller adds the next ones to them, and the last microbatch reduces the sum.
    /// The same on all ranks. Throws invalid_argument if a parameter is ready already in this round.
    void reduces(bool does) { round_.reduces(does); }

    /// With bucket_options::finds_bad: whose gradient had a NaN or an infinity in the last round that reduced, or that
    /// an average is not finite, as where a sum was too large. Gradients that are scattered over ranks (stages of
    /// `sharded` from gradients on) are looked at only as they were computed. All
    /// ranks are told the same, so all can leave out the step together, as GradScaler of PyTorch does. Without it, or
    /// where all were finite: nothing. Averages of such a round are of no use. Cost a round: a pass over the gradients
    /// as each bucket starts, and an allreduce of 8 bytes.
    [[nodiscard]] const std::optional<bad_gradient>& bad() const noexcept { return check_.found(); }

    /// What became of each bucket in the last round that reduced, in the order of their starts. Valid until the next
    /// ready().
    [[nodiscard]] std::span<const activity> activities() const noexcept { return round_.activities(); }
    /// How long the caller was inside of ready(), progress() and finish() in all rounds so far. What a round hides
    /// behind computing, it does not tell: the processor may move messages while it should compute. Compare the time of
    /// steps.
    [[nodiscard]] std::chrono::nanoseconds exposed() const noexcept { return round_.exposed(); }

private:
    using call = decltype(std::declval<const Communicator&>().prepare().allreduce(
        std::declval<std::span<float>&>(), average, std::declval<const std::optional<algorithm::any>&>()));
    using request = decltype(std::declval<call&>().start());

    [[nodiscard]] std::span<float> wide(const bucket& b) { return gradients().subspan(b.begin, b.count); }
    [[nodiscard]] std::span<bfloat16> narrow(const bucket& b) { return std::span(narrow_).subspan(b.begin, b.count); }

    [[nodiscard]] call prepare(const bucket& b) {
        auto data = wide(b);
        if (narrow_.empty()) return world_.prepare().allreduce(data, average, options_.how);
        auto rounded = narrow(b);
        return world_.prepare().allreduce(rounded, average, options_.how);
    }
    [[nodiscard]] auto starter() {
        return [this](std::size_t b) {
            const bucket& of = plan_.buckets()[b];
            check_.look(plan_, b, wide(of));
            if (!narrow_.empty()) detail::convert<float, bfloat16>(wide(of), narrow(of));
            return calls_[b].start();
        };
    }
    [[nodiscard]] auto ender() {
        return [this](std::size_t b) {
            const bucket& of = plan_.buckets()[b];
            if (!narrow_.empty()) detail::convert<bfloat16, float>(narrow(of), wide(of));
        };
    }
    void clear_unused() {
        for (std::size_t i = 0; i < plan_.parameters().size(); ++i)
            if (!round_.is_written(i)) std::ranges::fill(gradient(i), 0.0F);
    }

    bucket_plan plan_;
    bucket_options options_;
    Communicator world_;
    std::vector<float> gradients_;
    std::vector<bfloat16> narrow_; ///< of wire::bfloat16: what travels
    std::vector<call> calls_;      ///< by bucket
    detail::finite_check check_{options_.finds_bad};
    detail::bucket_round<request> round_; ///< last: its requests use all above
};

} // namespace tutti::training
