// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <transport/fabrics/cuda_ipc/described.hpp>
#include <transport/world/world.hpp>

#include "support/fake_cuda.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <memory>

namespace tutti::test {

using fake_ipc_fabric = transport::cuda_ipc_fabric<fake_cuda>;
using fake_ipc = transport::world<fake_ipc_fabric>;

/// Where a message lies, or is to lie.
enum class place { host, slab, device };
inline constexpr std::array all_places{place::host, place::slab, place::device};

/// Memory in such a place. Tests touch it through there().
class placed_bytes {
public:
    /// `slab(bytes)` gives memory of the transport's.
    placed_bytes(const std::function<std::shared_ptr<std::byte>(std::size_t)>& slab, place where, std::size_t size)
        : size_(size) {
        const fake_cuda runtime(-1);
        runtime.use();
        switch (where) {
        case place::host:
            memory_ = std::shared_ptr<std::byte>(new std::byte[size], std::default_delete<std::byte[]>());
            break;
        case place::slab: memory_ = slab(size); break;
        case place::device:
            memory_ = {runtime.allocate(std::max<std::size_t>(size, 1)), [runtime](std::byte* p) { runtime.free(p); }};
            break;
        }
    }
    [[nodiscard]] std::byte* data() const { return memory_.get(); }
    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] std::byte* there() const { return fake_cuda::reach(memory_.get(), size_); }

private:
    std::shared_ptr<std::byte> memory_;
    std::size_t size_;
};

} // namespace tutti::test

extern template class tutti::transport::world<tutti::test::fake_ipc_fabric>; // in support/cuda_worlds.cpp
