// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <collectives/collectives.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <utility>

namespace tutti::tools {

/// A communicator whose transport is forgotten, for blocking calls: what calls it is compiled once and not once a
/// transport. A handle: copies mean the same communicator. The deadline is the one at the time of its making.
class any_world : public allgather_operations<any_world>,
                  public allreduce_operations<any_world>,
                  public broadcast_operations<any_world>,
                  public reduce_operations<any_world>,
                  public reduce_scatter_operations<any_world> {
public:
    template <class Transport>
    explicit any_world(const communicator<Transport>& world)
        : membership_(std::make_shared<const erased>(
              erased{[world](engine::call c) { tutti::detail::access::run(world, std::move(c)); }, world.choice()})),
          rank_(world.rank()), size_(world.size()), deadline_(world.default_deadline()) {}

    [[nodiscard]] int rank() const noexcept { return rank_; }
    [[nodiscard]] int size() const noexcept { return size_; }
    [[nodiscard]] const model::chooser& choice() const noexcept { return membership_->choice; }
    [[nodiscard]] std::chrono::nanoseconds default_deadline() const noexcept { return deadline_; }

private:
    friend struct tutti::detail::access;
    struct erased {
        std::function<void(const engine::call&)> run;
        model::chooser choice;
        void complete(const engine::call& c, std::chrono::nanoseconds) const { run(c); }
    };

    std::shared_ptr<const erased> membership_;
    int rank_, size_;
    std::chrono::nanoseconds deadline_;
    static constexpr engine::executor* executor_ = nullptr; // a call gets that of its world
};

} // namespace tutti::tools
