// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "places.hpp"

#include <collectives/collectives.hpp>
#include <collectives/engine/membership.hpp>
#include <collectives/engine/stream_executor.hpp>

#include <span>

namespace tutti::test {

/// Kernels of the host, which a stream runs where device memory can be touched.
class fake_kernels {
public:
    bool reduce(std::uint64_t type, std::uint64_t op, std::span<const std::byte* const> from, std::byte* to,
                std::size_t n, fake_cuda::stream& in) const {
        return with<sum_operator, float>(type, op, from, to, n, in) ||
               with<maximum_operator, float>(type, op, from, to, n, in) ||
               with<average_operator, float>(type, op, from, to, n, in) ||
               with<maximum_operator, std::int32_t>(type, op, from, to, n, in);
    }
    bool finish(std::uint64_t type, std::uint64_t op, std::byte* data, std::size_t n, int ranks,
                fake_cuda::stream& in) const {
        if (type != type_id<float>() || op != operator_id<average_operator>()) return false;
        in.put([=] { finisher_of<average_operator, float>()(fake_cuda::reach(data, n * sizeof(float)), n, ranks); });
        return true;
    }

private:
    template <class Op, class T>
    static bool with(std::uint64_t type, std::uint64_t op, std::span<const std::byte* const> from, std::byte* to,
                     std::size_t n, fake_cuda::stream& in) {
        if (type != type_id<T>() || op != operator_id<Op>()) return false;
        in.put([sources = std::vector(from.begin(), from.end()), to, n] {
            static constexpr Op what{};
            const reducer r = make_reducer<T>(what);
            const std::size_t size = n * sizeof(T);
            std::vector<const std::byte*> there;
            for (const std::byte* const s : sources) there.push_back(fake_cuda::reach(s, size));
            if (there.size() == 2)
                r.combine(fake_cuda::reach(to, size), there[0], there[1], n, r.state);
            else
                r.combine_many(fake_cuda::reach(to, size), there.data(), there.size(), n, r.state);
        });
        return true;
    }
};

using fake_executor = engine::stream_executor<fake_cuda, fake_kernels>;
using fake_communicator = tutti::communicator<fake_ipc>;

/// So many elements in a place, as calls see them and as tests do.
template <class T>
class placed_elements {
public:
    template <class Communicator>
    placed_elements(const Communicator& world, place where, std::size_t n)
        : memory_([&](std::size_t size) { return slab(world, size); }, where, n * sizeof(T)), n_(n) {}
    [[nodiscard]] std::span<T> seen() const { return {reinterpret_cast<T*>(memory_.data()), n_}; }
    [[nodiscard]] std::span<T> there() const { return {reinterpret_cast<T*>(memory_.there()), n_}; }

private:
    template <class Communicator>
    static std::shared_ptr<std::byte> slab(const Communicator& world, std::size_t size) {
        const auto made = world.template allocate<std::byte>(size);
        return {made.data(), [made](std::byte*) {}};
    }
    placed_bytes memory_;
    std::size_t n_;
};

} // namespace tutti::test
