// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/error.hpp"
#include "coded_exchange.hpp"
#include "levels.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tutti::training::compressed {

/// Sends numbers in levels of 4 or 8 bits. Each part of the vector goes to its owner, who averages it and sends the
/// average to all, in levels as well. Both roundings are by chance and have no bias. A compressor.
/// Cost on each rank: an alltoall and an allgather, together 2 (P-1)/P of the code: a byte or half of one for each
/// element, and 4 bytes a group. Source: QSGD, Alistarh et al. 2017.
class qsgd {
public:
    /// `seed` is the same on all ranks. Throws invalid_argument unless levels have 4 or 8 bits, and groups elements.
    explicit qsgd(levels code = {}, std::uint64_t seed = 1) : code_(code), seed_(seed) {
        if (code.bits != 4 && code.bits != 8) reject("qsgd", "levels have 4 or 8 bits");
        if (code.group == 0) reject("qsgd", "a group has one element at least");
    }

    /// See compressor.
    [[nodiscard]] auto numbers() const { return std::array{double(code_.bits), double(code_.group), double(seed_)}; }
    /// See stream_compressor.
    [[nodiscard]] qsgd with_stream(std::uint64_t n) const { return qsgd(code_, draws::seed_of(seed_, n)); }

    /// See compressor. Throws as alltoallv.
    template <class Communicator>
    traffic average(const Communicator& ranks, std::span<float> data, std::span<float> sent) {
        const std::uint64_t round = rounds_++;
        const int self = ranks.rank(), size = ranks.size();
        detail::coded_exchange<Communicator> exchange(ranks, data.size(),
                                                      [&](std::size_t n) { return code_.bytes_of(n); });
        const auto each = [&](std::span<std::uint8_t> all, const auto& act) {
            for (int r = 0; r < size; ++r) act(r, exchange.code(all, r), exchange.first(r), exchange.length(r));
        };

        auto codes = exchange.codes();
        each(codes, [&](int r, std::span<std::uint8_t> code, std::size_t first, std::size_t n) {
            code_.encode(data.subspan(first, n), draws(seed_, 2 * round, stream_of(self, r)), code);
            code_.decode(code, sent.subspan(first, n));
        });
        const auto own = averaged(exchange.to_owners(codes), exchange.length(self), size);
        std::vector<std::uint8_t> code(code_.bytes_of(own.size()));
        code_.encode(own, draws(seed_, 2 * round + 1, stream_of(self, self)), code);
        codes = exchange.to_all(code);
        each(codes, [&](int, std::span<std::uint8_t> of, std::size_t first, std::size_t n) {
            code_.decode(of, data.subspan(first, n));
        });
        return exchange.sent();
    }

private:
    /// What is drawn on a rank for a part.
    [[nodiscard]] static std::uint64_t stream_of(int rank, int part) noexcept {
        return static_cast<std::uint64_t>(rank) << 32 | static_cast<std::uint64_t>(part);
    }
    /// Of the same elements of all ranks, in the order of ranks.
    [[nodiscard]] std::vector<float> averaged(std::span<const std::uint8_t> codes, std::size_t n, int size) const {
        std::vector<float> total(n), one(n);
        const std::size_t length = code_.bytes_of(n);
        for (int r = 0; r < size; ++r) {
            code_.decode(codes.subspan(static_cast<std::size_t>(r) * length, length), one);
            for (std::size_t i = 0; i < n; ++i) total[i] += one[i];
        }
        for (float& x : total) x *= 1.0F / static_cast<float>(size);
        return total;
    }

    levels code_;
    std::uint64_t seed_, rounds_ = 0;
};

} // namespace tutti::training::compressed
