// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "server_mode.hpp"
#include "store_worker.hpp"

#include <chrono>
#include <memory>
#include <utility>
#include <vector>

namespace tutti::tools {

/// One rank of a training with a parameter server: a server, or a worker.
template <class Communicator>
class server_trainer {
public:
    /// `pictures` are what workers of one process share; else each reads its own. Collective. Throws
    /// std::invalid_argument, std::runtime_error or tutti::error for settings that do not fit.
    server_trainer(const Communicator& world, const train_settings& s, const picture_sets* pictures = nullptr)
        : settings_(s), alike_(world.split(world.rank() < s.servers ? 0 : 1)), worker_(worker_of(world, pictures)),
          by_(world, store_layout_of(s, weights_of_workers(world), world.size())),
          begins_(world, s.warm_start > 0 ? by_.where().layout().workers : std::vector<int>()) {}

    [[nodiscard]] bool is_worker() const noexcept { return worker_ != nullptr; }
    /// The one that reports.
    [[nodiscard]] bool is_first_worker() const noexcept { return worker_ && worker_->is_first(); }
    /// Of a worker.
    /// @{
    [[nodiscard]] const task& data() const noexcept { return worker_->data(); }
    [[nodiscard]] std::size_t parameters() const noexcept { return worker_->parameters(); }
    /// @}

    /// Trains, or serves until all workers have ended or are lost. Returns those that a server has lost.
    std::vector<int> run(const worker_hooks& hooks) {
        std::vector<int> lost;
        if (worker_)
            worker_->train(by_, begins_, hooks);
        else
            with_rule(settings_.optimizer, [&](auto rule) {
                training::server::server_options options{.how = consistency_of(settings_),
                                                         .worker_silence = silence_of(settings_),
                                                         .before_first = silence_of(settings_),
                                                         .silence = silence_of(settings_)};
                if (settings_.warm_start > 0) options.before_first = std::chrono::hours(24);
                training::server::shard_server server(by_, rule, std::move(options));
                server.serve();
                lost = server.lost_workers();
            });
        return lost;
    }

private:
    using worker = store_worker<Communicator>;

    [[nodiscard]] std::unique_ptr<worker> worker_of(const Communicator& world, const picture_sets* pictures) const {
        static_cast<void>(store_layout_of(settings_, 1, world.size())); // throws where there are too few ranks
        return world.rank() < settings_.servers ? nullptr : std::make_unique<worker>(alike_, settings_, pictures);
    }

    /// Servers wait until workers have read their data.
    [[nodiscard]] std::size_t weights_of_workers(const Communicator& world) const {
        return world.with_deadline(std::chrono::minutes(10)).allreduce(worker_ ? worker_->parameters() : 0, maximum);
    }

    const train_settings& settings_;
    const Communicator alike_; // all servers, or all workers
    const std::unique_ptr<worker> worker_;
    const training::server::links<Communicator> by_;
    training::warm_start<Communicator> begins_;
};

} // namespace tutti::tools
