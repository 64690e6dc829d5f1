// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../allgather.hpp"
#include "../allreduce.hpp"
#include "../alltoall.hpp"
#include "../barrier.hpp"
#include "../broadcast.hpp"
#include "../exscan.hpp"
#include "../gather.hpp"
#include "../reduce.hpp"
#include "../reduce_scatter.hpp"
#include "../scan.hpp"
#include "../scatter.hpp"
#include "../send_receive.hpp"

#include <memory>
#include <utility>

namespace tutti {

/// All collectives, made by an Issuer that derives from this: see detail::access.
template <class Issuer>
class operations : public allgather_operations<Issuer>,
                   public allreduce_operations<Issuer>,
                   public alltoall_operations<Issuer>,
                   public barrier_operations<Issuer>,
                   public broadcast_operations<Issuer>,
                   public exscan_operations<Issuer>,
                   public gather_operations<Issuer>,
                   public reduce_operations<Issuer>,
                   public reduce_scatter_operations<Issuer>,
                   public scan_operations<Issuer>,
                   public scatter_operations<Issuer> {};

namespace detail {

/// A communicator for issuing calls only. Must not outlive that handle.
template <class Communicator>
class issuing_view {
public:
    explicit issuing_view(const Communicator& on) noexcept : on_(&on) {}
    [[nodiscard]] int rank() const noexcept { return on_->rank(); }
    [[nodiscard]] int size() const noexcept { return on_->size(); }
    [[nodiscard]] const model::chooser& choice() const noexcept { return on_->choice(); }

protected:
    static constexpr bool returns_at_once = true;
    const Communicator* on_;
};

} // namespace detail

/// The operations of a communicator, non-blocking: each starts and returns a request. Made by communicator::async().
template <class Communicator>
class async_operations : public detail::issuing_view<Communicator>,
                         public operations<async_operations<Communicator>>,
                         public async_send_receive_operations<async_operations<Communicator>> {
public:
    using detail::issuing_view<Communicator>::issuing_view;

private:
    friend struct detail::access;
    [[nodiscard]] auto issue(engine::call&& c, std::shared_ptr<const void> keeps) const {
        return detail::access::start(*this->on_, std::move(c), std::move(keeps));
    }
};

/// The operations of a communicator, prepared: each checks, chooses and plans, and returns a `prepared` to run as often
/// as one likes. Made by communicator::prepare().
template <class Communicator>
class prepared_operations : public detail::issuing_view<Communicator>,
                            public operations<prepared_operations<Communicator>> {
public:
    using detail::issuing_view<Communicator>::issuing_view;

private:
    friend struct detail::access;
    [[nodiscard]] auto issue(engine::call&& c, std::shared_ptr<const void> keeps) const {
        return detail::access::prepare(*this->on_, std::move(c), std::move(keeps));
    }
};

} // namespace tutti
