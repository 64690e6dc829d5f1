// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <collectives/collectives.hpp>

#include <functional>
#include <memory>
#include <utility>

namespace tutti::tools {

/// A communicator whose transport is forgotten, for blocking calls: what calls it is compiled once and not once a
/// transport. A handle: copies mean the same communicator. The deadline is the one at the time of its making.
class any_world : public operations<any_world> {
public:
    template <class Transport>
    explicit any_world(const communicator<Transport>& world)
        : erased_(std::make_shared<const erased>(
              erased{[world](engine::call&& c) { tutti::detail::access::run(world, std::move(c)); }, world.choice()})),
          rank_(world.rank()), size_(world.size()) {}

    [[nodiscard]] int rank() const noexcept { return rank_; }
    [[nodiscard]] int size() const noexcept { return size_; }
    [[nodiscard]] const model::chooser& choice() const noexcept { return erased_->choice; }

private:
    friend struct tutti::detail::access;
    struct erased {
        std::function<void(engine::call&&)> run;
        model::chooser choice;
    };

    static constexpr bool returns_at_once = false;
    void issue(engine::call&& c) const { erased_->run(std::move(c)); }

    std::shared_ptr<const erased> erased_;
    int rank_, size_;
};

} // namespace tutti::tools
