// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../collectives/algorithm/direct.hpp"
#include "../../collectives/communicator.hpp"
#include "../../collectives/schedule/layout.hpp"
#include "traffic.hpp"

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace tutti::training::compressed::detail {

/// Carries a vector in code: each rank owns an equal part of it. The lengths of codes depend on those of parts alone,
/// so all ranks know them. `bytes_of(n)` is the length of the code of n elements. Costs are counted.
template <class Communicator>
class coded_exchange {
public:
    using bytes = std::vector<std::uint8_t>;

    template <class BytesOf>
    coded_exchange(const Communicator& ranks, std::size_t elements, const BytesOf& bytes_of)
        : ranks_(ranks), cut_(elements, ranks.size()) {
        for (int r = 0; r < ranks.size(); ++r) lengths_.push_back(bytes_of(length(r)));
    }

    [[nodiscard]] std::size_t first(int part) const { return cut_.bound(part); }
    [[nodiscard]] std::size_t length(int part) const { return cut_.bound(part + 1) - cut_.bound(part); }
    [[nodiscard]] const traffic& sent() const noexcept { return sent_; }

    /// Room for the codes of all parts, one behind the other.
    [[nodiscard]] bytes codes() const {
        return bytes(std::accumulate(lengths_.begin(), lengths_.end(), std::size_t{0}));
    }
    /// The code of a part among those of all.
    template <class Byte>
    [[nodiscard]] std::span<Byte> code(std::span<Byte> all, int part) const {
        const auto of = lengths_.begin() + part;
        return all.subspan(std::accumulate(lengths_.begin(), of, std::size_t{0}), *of);
    }

    /// Each part to its owner. Returns the codes of the own part, one of each rank. Collective.
    [[nodiscard]] bytes to_owners(const bytes& all) {
        const std::vector<std::size_t> from(lengths_.size(), own());
        bytes come(own() * lengths_.size());
        ranks_.alltoallv(all, lengths_, come, from);
        count(all.size() - own());
        return come;
    }
    /// The code of the own part to all. Returns those of all parts. Collective.
    [[nodiscard]] bytes to_all(const bytes& mine) {
        bytes all = codes();
        ranks_.allgatherv(mine, all, lengths_, algorithm::direct{});
        count(own() * (lengths_.size() - 1));
        return all;
    }

private:
    [[nodiscard]] std::size_t own() const { return lengths_[static_cast<std::size_t>(ranks_.rank())]; }
    void count(std::size_t of) { sent_ += {lengths_.size() - 1, of}; }

    const Communicator& ranks_;
    const schedule::layout cut_;
    std::vector<std::size_t> lengths_; ///< of the code of each part
    traffic sent_;
};

} // namespace tutti::training::compressed::detail
