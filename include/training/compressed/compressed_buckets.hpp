// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../buckets/bucket_plan.hpp"
#include "../gradient_buckets.hpp"
#include "traffic.hpp"

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace tutti::training::compressed {

/// The gradients of a model, averaged over all ranks by a compressor a bucket, in place of the allreduces of
/// gradient_buckets. A round is: the caller computes each gradient(i), and then calls finish(). After that gradients
/// are the averages, the same bits on all ranks.
///
/// Preconditions on all ranks: the same parameters, sizes and compressors; the same rounds.
/// Errors: as of the compressor. Memory: 8 bytes an element, and that of the compressors.
/// Cost: that of the compressors, one after the other, in finish(): nothing is hidden behind the backward pass.
template <class Communicator, compressor<Communicator> Compressor>
class compressed_buckets {
public:
    /// Collective. Each bucket has a copy of `each`, with random numbers of its own. `weights` and errors are as of
    /// gradient_buckets.
    compressed_buckets(const Communicator& world, std::vector<parameter> parameters, const Compressor& each,
                       bucket_bytes bytes = {}, std::span<const float> weights = {})
        : plan_(std::move(parameters), bytes),
          world_(training::detail::agreed(world, "compressed_buckets", plan_, {.bytes = bytes}, weights,
                                          ", a compressor" + training::detail::numbers_in_words(each))),
          gradients_(plan_.elements()), sent_(plan_.elements()) {
        for (std::size_t b = 0; b < plan_.buckets().size(); ++b) each_.push_back(detail::with_stream(each, b));
    }

    /// Where the parameters lie in the array of all, and how they are cut.
    [[nodiscard]] const bucket_plan& plan() const noexcept { return plan_; }
    /// Of all parameters, in forward order. Zero before the first round.
    [[nodiscard]] std::span<float> gradients() noexcept { return gradients_; }
    /// Of one parameter.
    [[nodiscard]] std::span<float> gradient(std::size_t i) {
        return gradients().subspan(plan_.begin(i), plan_.elements(i));
    }
    /// Averages all buckets. Returns what this rank has sent.
    traffic finish() {
        traffic all;
        for (std::size_t b = 0; b < each_.size(); ++b) {
            const bucket& of = plan_.buckets()[b];
            all += each_[b].average(world_, gradients().subspan(of.begin, of.count),
                                    std::span(sent_).subspan(of.begin, of.count));
        }
        return all;
    }

private:
    bucket_plan plan_;
    Communicator world_;
    std::vector<float> gradients_, sent_;
    std::vector<Compressor> each_; ///< by bucket
};

} // namespace tutti::training::compressed
