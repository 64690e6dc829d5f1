// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../collectives/gather.hpp"
#include "../collectives/scatter.hpp"
#include "buckets/agreement.hpp"
#include "checkpoint/file.hpp"
#include "sharded.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

/// Weights, the optimizer's state, the step and the seed of a job in one file. The job goes on from it on any number of
/// ranks, sharded or not. Rank 0 alone has the file: it writes beside the old one, sees that all is on the disk, and
/// puts it in its place. Collective. Memory: that of a bucket. Cost: all arrays go through rank 0.
///
/// Errors: checkpoint_error on all ranks. A file is checked as a whole before anything is changed; if it cannot be read
/// a second time, the error says so, and weights and state are to be restored from another one. invalid_argument on a
/// rank whose weights or optimizer are not those of the parameters.
namespace tutti::training {

namespace detail {

/// An array over all parameters: whole on every rank, or each rank's shard.
struct saved_array {
    std::span<float> data;
    bool is_whole = true;
};

/// Moves the arrays of a job between the ranks and rank 0, bucket by bucket in forward order.
template <class Communicator>
class saved_arrays {
public:
    saved_arrays(const Communicator& world, const bucket_plan& plan, std::vector<saved_array> arrays)
        : world_(world), plan_(plan), map_(plan, world.size()), rank_(static_cast<std::size_t>(world.rank())),
          arrays_(std::move(arrays)) {
        for (const saved_array& a : arrays_) {
            const std::size_t wanted = a.is_whole ? plan.elements() : map_.elements(rank_);
            if (a.data.size() != wanted)
                reject("checkpoint", "weights or a state have " + std::to_string(a.data.size()) +
                                         " elements, not the " + std::to_string(wanted) + " of " +
                                         (a.is_whole ? "all parameters" : "this rank's shard"));
        }
    }

    [[nodiscard]] std::size_t number() const noexcept { return arrays_.size(); }

    /// write(bucket of an array) on rank 0.
    template <class Write>
    void collect(const Write& write) {
        each([&](const saved_array& a, std::size_t b) {
            if (!a.is_whole) world_.gatherv(own(a, b), whole(b), map_.counts(b), 0);
            if (rank_ == 0) write(a.is_whole ? range(a, b) : whole(b));
        });
    }
    /// read(bucket of an array) on rank 0.
    template <class Read>
    void hand_out(const Read& read) {
        each([&](const saved_array& a, std::size_t b) {
            const auto to = a.is_whole ? range(a, b) : whole(b);
            if (rank_ == 0) read(to);
            if (a.is_whole)
                world_.broadcast(to, 0);
            else
                world_.scatterv(to, map_.counts(b), own(a, b), 0);
        });
    }

private:
    void each(const auto& visit) {
        for (const saved_array& a : arrays_)
            for (std::size_t b = plan_.buckets().size(); b-- > 0;) visit(a, b);
    }
    [[nodiscard]] std::span<float> range(const saved_array& a, std::size_t b) const {
        return a.data.subspan(plan_.buckets()[b].begin, plan_.buckets()[b].count);
    }
    [[nodiscard]] std::span<float> own(const saved_array& a, std::size_t b) const {
        return a.data.subspan(map_.local(b, rank_), map_.counts(b)[rank_]);
    }
    /// Memory for a bucket, on rank 0.
    [[nodiscard]] std::span<float> whole(std::size_t b) {
        if (rank_ == 0) whole_.resize(std::max(whole_.size(), plan_.buckets()[b].count));
        return std::span(whole_).first(rank_ == 0 ? plan_.buckets()[b].count : 0);
    }

    const Communicator& world_;
    const bucket_plan& plan_;
    shard_map map_;
    std::size_t rank_;
    std::vector<saved_array> arrays_;
    std::vector<float> whole_;
};

/// Throws on all ranks what rank 0 has met, if it has met anything.
template <class Communicator>
void share_fault(const Communicator& world, const std::optional<checkpoint_error>& e, const std::string& operation) {
    const std::string words = told_by(world, 0, e ? e->facts().detail : "");
    const auto what =
        static_cast<checkpoint_flaw>(world.broadcast(static_cast<std::uint8_t>(e ? e->flaw() : checkpoint_flaw{}), 0));
    if (words.empty()) return;
    const std::size_t space = words.find(' '); // the error puts one there again
    throw checkpoint_error(what, operation, words.substr(0, space), words.substr(space + 1));
}

template <class Communicator, update_rule Rule>
[[nodiscard]] saved_arrays<Communicator> arrays_of(const Communicator& world, const bucket_plan& plan,
                                                   std::span<float> weights, bool has_whole_weights,
                                                   optimizer<Rule>& of, bool has_whole_state) {
    std::vector<saved_array> all{{weights, has_whole_weights}};
    for (std::size_t s = 0; s < Rule::states; ++s) all.push_back({of.state(s), has_whole_state});
    return {world, plan, std::move(all)};
}
template <class Communicator, update_rule Rule>
[[nodiscard]] saved_arrays<Communicator> arrays_of(const Communicator& world, sharded<Communicator, Rule>& job) {
    return arrays_of(world, job.plan(), job.kept_weights(), job.has_whole_weights(), job.own_optimizer(), false);
}

template <class Communicator, update_rule Rule>
void save(const Communicator& world, const std::string& path, const bucket_plan& plan, optimizer<Rule>& of,
          std::uint64_t seed, saved_arrays<Communicator> arrays) {
    std::optional<checkpoint_writer> file;
    if (world.rank() == 0) {
        file.emplace(path);
        const std::string text = text_of(Rule::name, plan.parameters());
        const checkpoint_header h{.text_bytes = text.size(),
                                  .elements = plan.elements(),
                                  .arrays = arrays.number(),
                                  .steps = of.steps(),
                                  .seed = seed,
                                  .last_rate = of.last_rate()};
        file->write(std::as_bytes(std::span(&h, 1)));
        file->write(std::as_bytes(std::span(text)));
    }
    arrays.collect([&](std::span<const float> some) { file->write(std::as_bytes(some)); });
    if (file) file->place();
    share_fault(world, file ? file->fault() : std::nullopt, "save");
}

template <class Communicator, update_rule Rule>
std::uint64_t restore(const Communicator& world, const std::string& path, const bucket_plan& plan, optimizer<Rule>& of,
                      saved_arrays<Communicator> arrays) {
    std::optional<arrays_reader> file;
    std::optional<checkpoint_error> fault;
    const auto on_rank_0 = [&](const auto& read) {
        try {
            if (world.rank() == 0 && !fault) read();
        } catch (const checkpoint_error& e) {
            fault = e;
        }
    };
    on_rank_0([&] { file.emplace(path, text_of(Rule::name, plan.parameters()), plan.elements(), arrays.number()); });
    share_fault(world, fault, "restore");
    arrays.hand_out([&](std::span<float> some) { on_rank_0([&] { file->next(some); }); });
    share_fault(world, fault, "restore");
    const checkpoint_header h = world.broadcast(file ? file->header() : checkpoint_header{}, 0);
    of.resume(static_cast<std::size_t>(h.steps), h.last_rate);
    return h.seed;
}

} // namespace detail

/// Writes the checkpoint of a job of which every rank has all. The same path, steps and seed on all ranks.
template <class Communicator, update_rule Rule>
void save(const Communicator& world, const std::string& path, const bucket_plan& plan, std::span<float> weights,
          optimizer<Rule>& of, std::uint64_t seed) {
    detail::save(world, path, plan, of, seed, detail::arrays_of(world, plan, weights, true, of, true));
}
/// The same of a sharded job.
template <class Communicator, update_rule Rule>
void save(const Communicator& world, const std::string& path, sharded<Communicator, Rule>& job, std::uint64_t seed) {
    detail::save(world, path, job.plan(), job.own_optimizer(), seed, detail::arrays_of(world, job));
}

/// Takes weights, state and step from a checkpoint of any job with the same parameters and rule, and returns its seed.
template <class Communicator, update_rule Rule>
std::uint64_t restore(const Communicator& world, const std::string& path, const bucket_plan& plan,
                      std::span<float> weights, optimizer<Rule>& of) {
    return detail::restore(world, path, plan, of, detail::arrays_of(world, plan, weights, true, of, true));
}
/// The same into a sharded job, between two steps.
template <class Communicator, update_rule Rule>
std::uint64_t restore(const Communicator& world, const std::string& path, sharded<Communicator, Rule>& job) {
    job.renewed();
    return detail::restore(world, path, job.plan(), job.own_optimizer(), detail::arrays_of(world, job));
}

} // namespace tutti::training
