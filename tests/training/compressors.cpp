// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <training/compressed/compressed_buckets.hpp>

#include <training/compressed/error_feedback.hpp>
#include <training/compressed/power_sgd.hpp>
#include <training/compressed/qsgd.hpp>
#include <training/compressed/random_k.hpp>
#include <training/compressed/sign_majority.hpp>
#include <training/compressed/top_k.hpp>

#include "support/catch.hpp"
#include "support/has.hpp"
#include "support/world.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace tutti::test::compressors {
namespace {

namespace compressed = training::compressed;
using compressed::draws;
using floats = std::vector<float>;

/// A rank's vector in a round: from -1 to 1.
floats drawn(std::size_t n, int rank, unsigned round = 0) {
    const draws random(17, static_cast<std::uint64_t>(rank), round);
    floats x(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = 2 * random.unit(i) - 1;
    return x;
}
floats average_of(int size, std::size_t n, unsigned round = 0) {
    floats total(n);
    for (int r = 0; r < size; ++r) {
        const floats x = drawn(n, r, round);
        for (std::size_t i = 0; i < n; ++i) total[i] += x[i] / static_cast<float>(size);
    }
    return total;
}

void expect_same_bits(const communicator& ranks, const floats& mine, const std::string& what) {
    floats all(mine.size() * static_cast<std::size_t>(ranks.size()));
    ranks.allgather(mine, all);
    for (std::size_t i = 0; i < all.size(); ++i)
        expect(std::bit_cast<std::uint32_t>(all[i]) == std::bit_cast<std::uint32_t>(mine[i % mine.size()]),
               what + ": equal bits");
}
double distance(const floats& a, const floats& b) {
    double most = 0;
    for (std::size_t i = 0; i < a.size(); ++i) most = std::max<double>(most, std::abs(a[i] - b[i]));
    return most;
}

/// Two rounds of a compressor. Tells the last result, and how far it is from the average of what ranks have sent.
template <class Compressor>
floats tried(const communicator& ranks, Compressor by, std::size_t n, double within, const std::string& what) {
    floats data, sent(n);
    for (unsigned round = 0; round < 2; ++round) {
        data = drawn(n, ranks.rank(), round);
        by.average(ranks, data, sent);
        expect_same_bits(ranks, data, what);
        ranks.allreduce(sent, average, algorithm::naive{});
        expect(distance(sent, data) <= within, what + ": the average of what ranks send");
    }
    return data;
}
template <class Compressor>
void expect_deterministic(const communicator& ranks, const Compressor& by, double within, const std::string& what) {
    for (const std::size_t n : {1U, 7U, 200U}) {
        const std::string of = what + " of " + std::to_string(n);
        expect(tried(ranks, by, n, within, of) == tried(ranks, by, n, within, of), of + ": the same each time");
    }
    floats none;
    Compressor copy = by;
    copy.average(ranks, none, none);
}

} // namespace

TEST_CASE("compressors end with equal bits on all ranks, with the average of what each has sent") {
    for (int size = 1; size <= 9; ++size)
        run_world(size, [](const communicator& ranks) {
            expect_deterministic(ranks, compressed::top_k{.share = 0.1}, 1e-6, "top_k");
            expect_deterministic(ranks, compressed::top_k{0.6, {algorithm::direct{}}}, 1e-6, "top_k split");
            expect_deterministic(ranks, compressed::random_k{.share = 0.1}, 1e-6, "random_k");
            expect_deterministic(ranks, compressed::power_sgd{}, 1e-5, "power_sgd");
            expect_deterministic(ranks, compressed::qsgd{}, 1.0 / 127, "qsgd of 8 bits"); // its second rounding
            expect_deterministic(ranks, compressed::qsgd{{.bits = 4, .group = 3}}, 1.0 / 7, "qsgd of 4 bits");
            expect_deterministic(ranks, compressed::sign_majority{}, 2, "sign_majority");
            expect_deterministic(ranks, compressed::error_feedback(compressed::top_k{}), 1e-6, "with error feedback");
        });
}

TEST_CASE("top_k takes the largest magnitudes, the first of equal ones, and NaN before all") {
    const floats x{1, -3, 3, 0, -2, 3};
    const auto two = compressed::largest(x, 2);
    CHECK(two.indices == std::vector<std::uint32_t>{1, 2});
    CHECK(two.values == floats{-3, 3});
    CHECK(compressed::largest(x, 9).indices.size() == 6);
    const floats odd{std::numeric_limits<float>::infinity(), 1, std::nanf("")};
    CHECK(compressed::largest(odd, 1).indices.front() == 2);
    CHECK(fault_of([] { (void)compressed::detail::count_of(0, 5); }).why == cause::invalid_argument);
}

TEST_CASE("top_k in rank order has the bits of a serial loop") {
    run_world(4, [](const communicator& ranks) {
        floats data = drawn(100, ranks.rank()), sent(100), wanted(100);
        compressed::top_k{0.2, {algorithm::naive{}}}.average(ranks, data, sent);
        for (int r = 0; r < 4; ++r) {
            const auto of = compressed::largest(drawn(100, r), 20);
            for (std::size_t i = 0; i < 20; ++i) wanted[of.indices[i]] += of.values[i];
        }
        for (float& v : wanted) v *= 0.25F;
        expect(data == wanted, "the serial loop");
    });
}

TEST_CASE("random_k draws each element as often, and travels without indices") {
    std::vector<int> taken(10);
    for (std::uint64_t round = 0; round < 2000; ++round) {
        const auto of = compressed::sample(10, 3, draws(5, round));
        CHECK(of.size() == 3);
        CHECK(std::ranges::is_sorted(of));
        for (const auto i : of) ++taken[i];
    }
    for (const int n : taken) CHECK(std::abs(n - 600) < 100); // five standard deviations
    run_world(4, [](const communicator& ranks) {
        floats data = drawn(800, ranks.rank()), sent(800);
        const auto cost = compressed::random_k{.share = 0.1}.average(ranks, data, sent);
        expect(cost.messages == 4 && cost.bytes == 2 * 60 * sizeof(float), "an allreduce of 80 elements");
    });
}

TEST_CASE("levels are next to their number, right in the mean, and carry what is not finite") {
    for (const int bits : {4, 8}) {
        const compressed::levels code{.bits = bits, .group = 8};
        const floats x = drawn(21, 0);
        const float most = bits == 4 ? 7 : 127;
        std::vector<std::uint8_t> bytes(code.bytes_of(x.size()));
        CHECK(bytes.size() == (bits == 4 ? 3 * 4 + 11 : 3 * 4 + 21));
        std::vector<double> mean(x.size());
        floats back(x.size());
        for (std::uint64_t round = 0; round < 4000; ++round) {
            code.encode(x, draws(1, round), bytes);
            code.decode(bytes, back);
            CHECK(distance(x, back) < 1.0001F / most);
            for (std::size_t i = 0; i < x.size(); ++i) mean[i] += back[i] / 4000.0;
        }
        for (std::size_t i = 0; i < x.size(); ++i) CHECK(std::abs(mean[i] - x[i]) < 0.05 / most);
        const floats special{0, 0, std::nanf(""), 1, std::numeric_limits<float>::infinity(), -1};
        const compressed::levels pairs{.bits = bits, .group = 2};
        bytes.resize(pairs.bytes_of(6)), back.resize(6);
        pairs.encode(special, draws(1), bytes);
        pairs.decode(bytes, back);
        CHECK((back[0] == 0 && back[1] == 0));
        for (std::size_t i = 2; i < 6; ++i) CHECK(!std::isfinite(back[i]));
    }
    CHECK(has(fault_of([] { compressed::qsgd({.bits = 5}); }).detail, "4 or 8 bits"));
}

TEST_CASE("qsgd sends a code of the vector twice at most, and on one rank is its two roundings") {
    run_world(4, [](const communicator& ranks) {
        floats data = drawn(4096, ranks.rank()), sent(4096);
        const auto cost = compressed::qsgd{{.bits = 4, .group = 512}}.average(ranks, data, sent);
        // three parts to their owners and the own one to three ranks, of 1024 elements and two scales
        expect(cost.messages == 6 && cost.bytes == 6 * (512 + 8), std::to_string(cost.bytes));
        expect(distance(data, average_of(4, 4096)) < 2.01 / 7, "close to the average");
    });
    run_world(1, [](const communicator& ranks) {
        const compressed::levels code;
        floats data = drawn(9, 0), sent(9), wanted = data;
        compressed::qsgd(code, 3).average(ranks, data, sent);
        std::vector<std::uint8_t> bytes(code.bytes_of(9));
        for (const std::uint64_t rounding : {0U, 1U}) {
            code.encode(wanted, draws(3, rounding, 0), bytes);
            code.decode(bytes, wanted);
            if (rounding == 0) expect(sent == wanted, "what is sent");
        }
        expect(data == wanted, "two roundings");
    });
}

TEST_CASE("a zero has the other sign in each call") {
    run_world(3, [](const communicator& ranks) {
        compressed::sign_majority by;
        floats first{0, 2, -0.0F, -2}, second = first, sent(4);
        by.average(ranks, first, sent);
        by.average(ranks, second, sent);
        for (const std::size_t zero : {0U, 2U}) expect(first[zero] == -second[zero] && first[zero] != 0, "a zero");
        expect(first[1] == second[1] && first[3] == -first[1], "the others");
    });
}

TEST_CASE("signs are those of the majority, and ties are decided by each rank in turn") {
    for (const int size : {2, 3, 6})
        run_world(size, [size](const communicator& ranks) {
            constexpr std::size_t n = 100;
            compressed::sign_majority by;
            for (std::uint64_t round = 0; round < 3; ++round) {
                const auto of = [round](int r) { return drawn(n, r, static_cast<unsigned>(round)); };
                floats data = of(ranks.rank()), sent(n);
                const auto cost = by.average(ranks, data, sent);
                for (std::size_t i = 0; i < n; ++i) {
                    int balance = 0;
                    for (int r = 0; r < size; ++r) balance += std::signbit(of(r)[i]) ? -1 : 1;
                    const auto turn = static_cast<int>((round + i) % static_cast<std::uint64_t>(size));
                    const bool negative = balance == 0 ? std::signbit(of(turn)[i]) : balance < 0;
                    expect(std::signbit(data[i]) == negative, "the vote on element " + std::to_string(i));
                    expect(std::signbit(sent[i]) == std::signbit(of(ranks.rank())[i]), "the own vote");
                }
                expect(std::abs(std::abs(data[0]) - 0.5) < 0.1, "the mean magnitude");
                expect(size != 2 || cost.bytes == 7 + 7 + 4, std::to_string(cost.bytes));
            }
        });
}

TEST_CASE("columns become orthonormal, and one that depends on others becomes zero") {
    floats columns = drawn(3 * 20, 1);
    for (std::size_t i = 0; i < 20; ++i) columns.push_back(columns[i] - 2 * columns[20 + i]);
    compressed::orthonormalise(columns, 20, 4);
    for (std::size_t j = 0; j < 4; ++j)
        for (std::size_t k = 0; k < 4; ++k) {
            double product = 0;
            for (std::size_t i = 0; i < 20; ++i) product += columns[j * 20 + i] * columns[k * 20 + i];
            CHECK(std::abs(product - (j == k && k < 3 ? 1 : 0)) < 1e-6);
        }
}

TEST_CASE("power_sgd finds the average where that has the rank, also after rounds of zeros and of NaN") {
    run_world(3, [](const communicator& ranks) {
        constexpr std::size_t rows = 6, columns = 9, over = 4; // and elements that fill no row
        const auto matrix = [](int rank) {                     // of rank 1, with the same columns on all ranks
            const floats left = drawn(rows, 50), right = drawn(columns, rank), rest = drawn(over, 60 + rank);
            floats all;
            for (std::size_t i = 0; i < rows * columns; ++i) all.push_back(left[i / columns] * right[i % columns]);
            all.insert(all.end(), rest.begin(), rest.end());
            return all;
        };
        compressed::power_sgd by({.rank = 2, .rows = rows});
        floats zeros(rows * columns + over), sent(zeros.size()), wanted = matrix(ranks.rank());
        by.average(ranks, zeros, sent);
        expect(zeros == floats(zeros.size()), "nothing comes of zeros");
        floats bad(zeros.size());
        bad[7] = std::nanf("");
        by.average(ranks, bad, sent);
        expect(std::ranges::any_of(bad, [](float v) { return std::isnan(v); }), "NaN shows");
        floats data = wanted;
        const auto cost = by.average(ranks, data, sent);
        ranks.allreduce(wanted, average, algorithm::halving_doubling{});
        expect(distance(data, wanted) < 1e-6, "the average");
        expect(cost.bytes < wanted.size() * sizeof(float) * 2, "fewer bytes");
        floats few(3);
        expect(fault_of([&] { by.average(ranks, few, few); }).why == cause::invalid_argument, "too few elements");
    });
}

TEST_CASE("with error feedback nothing is lost: results and what is left out add up to all vectors") {
    for (const int size : {1, 2, 5})
        run_world(size, [size](const communicator& ranks) {
            const auto kept = [&](auto by, const std::string& what) {
                constexpr std::size_t n = 60;
                floats come(n), wanted(n), sent(n);
                for (unsigned round = 0; round < 30; ++round) {
                    floats data = drawn(n, ranks.rank(), round);
                    by.average(ranks, data, sent);
                    const floats exact = average_of(size, n, round);
                    for (std::size_t i = 0; i < n; ++i) come[i] += data[i], wanted[i] += exact[i];
                }
                floats left(by.left_out().begin(), by.left_out().end());
                ranks.allreduce(left, average);
                for (std::size_t i = 0; i < n; ++i) come[i] += left[i];
                expect(distance(come, wanted) < 1e-4, what);
            };
            kept(compressed::error_feedback(compressed::top_k{.share = 0.1}), "top_k");
            kept(compressed::error_feedback(compressed::random_k{.share = 0.1}), "random_k");
            kept(compressed::error_feedback(compressed::power_sgd({.rank = 1})), "power_sgd");
        });
}

TEST_CASE("error feedback drops a number that is none once it has been sent") {
    run_world(2, [](const communicator& ranks) {
        const auto recovers = [&](auto by, const std::string& what) {
            floats data(40, 1), sent(40);
            data[3] = ranks.rank() == 0 ? std::nanf("") : 1.0F;
            by.average(ranks, data, sent);
            expect(!std::ranges::all_of(data, [](float x) { return std::isfinite(x); }), what + ": it shows");
            data.assign(40, 1);
            by.average(ranks, data, sent);
            expect(std::ranges::all_of(data, [](float x) { return std::isfinite(x); }), what + ": it is gone");
        };
        recovers(compressed::error_feedback(compressed::top_k{.share = 0.1}), "top_k");
        recovers(compressed::error_feedback(compressed::random_k{.share = 1}), "random_k");
        recovers(compressed::error_feedback(compressed::power_sgd({.rank = 1})), "power_sgd");
        recovers(compressed::error_feedback(compressed::qsgd{}), "qsgd");
        recovers(compressed::error_feedback(compressed::sign_majority{}), "sign_majority");
        compressed::error_feedback by(compressed::random_k{.share = 0.01, .seed = 2}); // one of 40
        floats data(40), sent(40);
        data[7] = std::nanf("");
        bool has_shown = false;
        for (int round = 0; round < 1000 && !has_shown; ++round) {
            by.average(ranks, data, sent);
            has_shown = std::isnan(data[7]);
            data.assign(40, 0);
        }
        expect(has_shown && by.left_out()[7] == 0, "it waits until it is drawn");
    });
}

TEST_CASE("each bucket draws for itself, the same each time") {
    run_world(2, [](const communicator& ranks) {
        const std::vector<training::parameter> parameters{{"a", 100}, {"b", 100}};
        const auto taken = [&](const auto& each) {
            compressed::compressed_buckets buckets(ranks, parameters, each, {.first = 400, .most = 400});
            expect(buckets.plan().buckets().size() == 2, "two buckets");
            for (std::size_t i = 0; i < 200; ++i) buckets.gradients()[i] = 1 + 0.01F * static_cast<float>(i % 100);
            buckets.finish();
            return floats(buckets.gradients().begin(), buckets.gradients().end());
        };
        const auto differ = [&](const auto& each, const std::string& what) {
            const floats all = taken(each);
            expect(floats(all.begin(), all.begin() + 100) != floats(all.begin() + 100, all.end()), what);
            expect(all == taken(each), what + ": the same each time");
        };
        differ(compressed::error_feedback(compressed::random_k{.share = 0.1}), "random_k");
        differ(compressed::qsgd{}, "qsgd");
        differ(compressed::error_feedback(compressed::power_sgd({.rank = 1})), "power_sgd");
        const floats top = taken(compressed::top_k{.share = 0.1});
        expect(floats(top.begin(), top.begin() + 100) == floats(top.begin() + 100, top.end()), "top_k draws nothing");
    });
}

TEST_CASE("descent with compressed buckets comes to where descent with averages comes") {
    run_world(3, [](const communicator& ranks) {
        // each rank's loss is half the squared distance to a point of its own: the best weights are their mean
        const std::vector<training::parameter> parameters{{"a", 30}, {"b", 50}};
        const floats own = drawn(80, ranks.rank()), best = average_of(3, 80);
        const auto far = [&](const auto& by) {
            compressed::compressed_buckets buckets(ranks, parameters, by, {.first = 200, .most = 120});
            expect(buckets.plan().buckets().size() == 2, "two buckets");
            floats w(80);
            for (int step = 0; step < 300; ++step) {
                for (std::size_t i = 0; i < 80; ++i) buckets.gradients()[i] = w[i] - own[i];
                buckets.finish();
                for (std::size_t i = 0; i < 80; ++i) w[i] -= 0.1F * buckets.gradients()[i];
            }
            expect_same_bits(ranks, w, "weights");
            return distance(w, best);
        };
        expect(far(compressed::error_feedback(compressed::top_k{.share = 0.3})) < 0.05, "top_k");
        expect(far(compressed::error_feedback(compressed::random_k{.share = 0.3})) < 0.05, "random_k");
        expect(far(compressed::error_feedback(compressed::power_sgd({.rank = 1}))) < 0.05, "power_sgd");
        expect(far(compressed::qsgd{}) < 0.02, "qsgd");
        const auto f = fault_of([&] {
            compressed::compressed_buckets(ranks, {{"a", ranks.rank() == 1 ? 3U : 4U}}, compressed::qsgd{});
        });
        expect(f.why == cause::mismatch && has(f.detail, "a, 4 elements"), "other parameters");
    });
}

TEST_CASE("compressors that were made unlike are told, by their numbers") {
    run_world(2, [](const communicator& ranks) {
        const auto told = [&](const auto& one, const auto& other, const std::string& words) {
            const auto f = fault_of([&] {
                compressed::compressed_buckets(ranks, {{"a", 4}}, ranks.rank() == 0 ? one : other);
            });
            expect(f.why == cause::mismatch && has(f.detail, "a compressor of " + words + '"'), message_of(f));
        };
        using compressed::error_feedback;
        told(compressed::top_k{.share = 0.1}, compressed::top_k{.share = 0.2}, "0.1");
        told(error_feedback(compressed::top_k{}), error_feedback(compressed::top_k{.share = 0.5}), "0.5");
        told(compressed::random_k{.seed = 3}, compressed::random_k{.seed = 4}, "0.01, 4");
        told(compressed::qsgd({.bits = 4}), compressed::qsgd({.bits = 8}), "4, 512, 1");
        told(compressed::power_sgd({.rank = 1}), compressed::power_sgd({.rank = 3}), "3, 0, 1");
    });
}

} // namespace tutti::test::compressors
