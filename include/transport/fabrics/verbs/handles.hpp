// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <infiniband/verbs.h>

#include <memory>

/// The parts of the RDMA transport. Not part of the transport contract.
namespace tutti::transport::detail::verbs {

/// Owners of libibverbs' objects.
struct closes {
    void operator()(ibv_context* it) const noexcept { ibv_close_device(it); }
    void operator()(ibv_pd* it) const noexcept { ibv_dealloc_pd(it); }
    void operator()(ibv_comp_channel* it) const noexcept { ibv_destroy_comp_channel(it); }
    void operator()(ibv_cq* it) const noexcept { ibv_destroy_cq(it); }
    void operator()(ibv_srq* it) const noexcept { ibv_destroy_srq(it); }
    void operator()(ibv_qp* it) const noexcept { ibv_destroy_qp(it); }
    void operator()(ibv_mr* it) const noexcept { ibv_dereg_mr(it); }
    void operator()(ibv_device** it) const noexcept { ibv_free_device_list(it); }
};
template <class Object>
using owned = std::unique_ptr<Object, closes>;

/// Access of this rank's device alone. An int, since ibv_reg_mr is a macro that combines it with another enumeration.
inline constexpr int local_write = IBV_ACCESS_LOCAL_WRITE;

using device_list = std::unique_ptr<ibv_device*[], closes>;

} // namespace tutti::transport::detail::verbs
