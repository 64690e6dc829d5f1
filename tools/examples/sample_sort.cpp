// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// Sorts keys that are spread over all ranks: afterwards each rank's keys are sorted, and no rank has a key that is
// larger than one of the next rank. Each rank sorts its own keys and gives samples of them; the samples are cut into
// one interval a rank; each key goes to the rank of its interval, which merges what comes.
//
//   tutti run -n 4 -- sample_sort 1000000
//
// Source: Frazer and McKellar, Samplesort: a sampling approach to minimal storage tree sorting, JACM 1970; regular
// sampling as in Shi and Schaeffer, Parallel sorting by regular sampling, JPDC 1992.

#include <tutti/collectives/collectives.hpp>
#include <tutti/transport/tcp.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <numeric>
#include <random>
#include <vector>

using communicator = tutti::communicator<tutti::transport::tcp>;
using keys = std::vector<std::uint64_t>;

namespace {

/// Size - 1 keys that cut all keys into intervals of about as many keys each.
keys splitters_of(const communicator& world, const keys& sorted) {
    const auto ranks = static_cast<std::size_t>(world.size());
    keys mine(ranks, sorted.empty() ? 0 : sorted.back());
    for (std::size_t i = 0; i < ranks && !sorted.empty(); ++i) mine[i] = sorted[i * sorted.size() / ranks];
    keys samples(ranks * ranks), splitters;
    world.allgather(mine, samples);
    std::ranges::sort(samples);
    for (std::size_t r = 1; r < ranks; ++r) splitters.push_back(samples[r * ranks]);
    return splitters;
}

/// Merges sorted runs, one behind the other, of these lengths.
void merge_runs(keys& all, std::vector<std::size_t> lengths) {
    while (lengths.size() > 1) {
        std::vector<std::size_t> merged;
        auto first = all.begin();
        for (std::size_t k = 0; k + 1 < lengths.size(); k += 2) {
            const auto middle = first + static_cast<std::ptrdiff_t>(lengths[k]);
            const auto last = middle + static_cast<std::ptrdiff_t>(lengths[k + 1]);
            std::inplace_merge(first, middle, last);
            merged.push_back(lengths[k] + lengths[k + 1]);
            first = last;
        }
        if (lengths.size() % 2 == 1) merged.push_back(lengths.back());
        lengths = std::move(merged);
    }
}

keys sample_sort(const communicator& world, keys mine) {
    std::ranges::sort(mine);
    // Where the intervals of the ranks end in this rank's keys, and how many keys go to each.
    std::vector<std::size_t> sent, received(static_cast<std::size_t>(world.size()));
    auto begin = mine.begin();
    for (const std::uint64_t splitter : splitters_of(world, mine)) {
        const auto end = std::upper_bound(begin, mine.end(), splitter);
        sent.push_back(static_cast<std::size_t>(end - begin));
        begin = end;
    }
    sent.push_back(static_cast<std::size_t>(mine.end() - begin));

    world.alltoall(sent, received);
    keys sorted(std::accumulate(received.begin(), received.end(), std::size_t{0}));
    world.alltoallv(mine, sent, sorted, received);
    merge_runs(sorted, received);
    return sorted;
}

keys drawn(int rank, std::size_t count) {
    std::mt19937_64 dice(static_cast<unsigned>(rank) + 1);
    keys all(count);
    for (auto& key : all) key = dice() >> (dice() % 40); // many small ones: intervals of equal width would not do
    return all;
}

/// Rank 0 gathers all keys and compares them with those that one process sorts. True, on all ranks, if they are the
/// same.
bool is_right(const communicator& world, const keys& sorted, std::size_t count) {
    const std::vector<std::size_t> lengths = world.gather(sorted.size(), 0);
    keys all(std::accumulate(lengths.begin(), lengths.end(), std::size_t{0})), wanted;
    world.gatherv(sorted, all, lengths, 0);
    for (int r = 0; r < world.size() && world.rank() == 0; ++r)
        for (const auto key : drawn(r, count)) wanted.push_back(key);
    std::ranges::sort(wanted);
    return world.broadcast(static_cast<char>(all == wanted), 0) != 0;
}

} // namespace

int main(int argc, char** argv) try {
    const std::size_t count = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1'000'000;
    communicator world{tutti::transport::tcp::from_environment()};
    const keys sorted = sample_sort(world, drawn(world.rank(), count));
    const auto most = world.allreduce(sorted.size(), tutti::maximum);
    const bool right = is_right(world, sorted, count);
    if (world.rank() == 0)
        std::printf("%zu keys on %d ranks, at most %zu on one: %s\n", count * static_cast<std::size_t>(world.size()),
                    world.size(), most, right ? "sorted as by one process" : "WRONG");
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
} catch (const std::exception& e) {
    std::fprintf(stderr, "sample_sort: %s\n", e.what());
    return EXIT_FAILURE;
}
