// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../collectives/algorithm/butterfly.hpp"
#include "../../collectives/allreduce.hpp"
#include "coded_exchange.hpp"
#include "dense_traffic.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tutti::training::compressed {

/// Sends the sign of each element, in one bit. Each element becomes the sign that most ranks have, times a scale: the
/// mean magnitude of all elements of all ranks, so that it may stand in place of an average. Zero has the other sign in
/// each call, so that weights without a gradient stay where they are in the mean. A tie is decided by one rank, each in
/// its turn. A compressor.
///
/// `sent` is this rank's signs, times its own mean magnitude. The result is no average of what ranks send: with
/// error_feedback it need not converge to the plain average.
/// Cost on each rank: an alltoall and an allgather of a bit for each element, together 2 (P-1)/P of them, and an
/// allreduce of 4 bytes. Sources: Bernstein et al., signSGD with majority vote, 2019; the scale is that of Karimireddy
/// et al. 2019.
struct sign_majority {
    std::uint64_t rounds =
        0; ///< calls so far, which tell who decides ties, and the sign of zero; the same on all ranks

    /// See compressor. Throws as alltoallv.
    template <class Communicator>
    traffic average(const Communicator& ranks, std::span<float> data, std::span<float> sent) {
        const std::uint64_t round = rounds++;
        const int self = ranks.rank(), size = ranks.size();
        double total = 0;
        for (const float x : data) total += std::abs(x);
        const float mean = data.empty() ? 0.0F : static_cast<float>(total / static_cast<double>(data.size()));
        const float scale = ranks.allreduce(mean, tutti::average, algorithm::butterfly{});
        const auto is_negative = [&](std::size_t i) { return data[i] == 0 ? round % 2 == 1 : std::signbit(data[i]); };
        for (std::size_t i = 0; i < data.size(); ++i) sent[i] = is_negative(i) ? -mean : mean;

        detail::coded_exchange<Communicator> exchange(ranks, data.size(), bytes_of);
        auto votes = exchange.codes();
        for (int r = 0; r < size; ++r) {
            const auto code = exchange.code(std::span(votes), r);
            for (std::size_t i = 0; i < exchange.length(r); ++i)
                if (is_negative(exchange.first(r) + i)) put(code, i);
        }
        const auto own = decided(exchange.to_owners(votes), exchange.length(self), size, round + exchange.first(self));
        votes = exchange.to_all(own);
        for (int r = 0; r < size; ++r) {
            const auto code = exchange.code(std::span<const std::uint8_t>(votes), r);
            for (std::size_t i = 0; i < exchange.length(r); ++i)
                data[exchange.first(r) + i] = is_set(code, i) ? -scale : scale;
        }
        traffic all = exchange.sent();
        all += allreduce_traffic(algorithm::butterfly{}, ranks, 1);
        return all;
    }

private:
    [[nodiscard]] static std::size_t bytes_of(std::size_t n) noexcept { return (n + 7) / 8; }
    static void put(std::span<std::uint8_t> bits, std::size_t i) noexcept {
        bits[i / 8] = static_cast<std::uint8_t>(bits[i / 8] | 1 << i % 8);
    }
    [[nodiscard]] static bool is_set(std::span<const std::uint8_t> bits, std::size_t i) noexcept {
        return (bits[i / 8] >> i % 8 & 1) != 0;
    }
    /// Element i is negative where most votes are. A tie of it is decided by rank (turn + i) modulo size.
    [[nodiscard]] static std::vector<std::uint8_t> decided(std::span<const std::uint8_t> votes, std::size_t n, int size,
                                                           std::uint64_t turn) {
        std::vector<std::uint8_t> result(bytes_of(n));
        const auto of = [&](std::uint64_t r) { return votes.subspan(r * result.size(), result.size()); };
        const auto ranks = static_cast<std::uint64_t>(size);
        for (std::size_t i = 0; i < n; ++i) {
            std::uint64_t negative = 0;
            for (std::uint64_t r = 0; r < ranks; ++r) negative += is_set(of(r), i) ? 1U : 0U;
            if (2 * negative > ranks || (2 * negative == ranks && is_set(of((turn + i) % ranks), i))) put(result, i);
        }
        return result;
    }
};

} // namespace tutti::training::compressed
