// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// The time of a training step with one allreduce a layer, with one for all layers, and with buckets, all in turn, over
// tcp between ranks that are threads of this process. Each layer of the backward pass takes its share of a time for
// which the processor either sleeps, as a host does while its GPU computes, or computes itself. The whole pass takes
// about as long as the allreduce of all gradients takes by itself. Hidden is what a step takes less than the pass and
// that allreduce one after the other. Medians of rank 0.
//
// usage: gradient_buckets [RANKS [MEBIBYTES [STEPS]]]    4 ranks, 16 MiB and 15 steps if not given

#include <collectives/collectives.hpp>
#include <training/gradient_buckets.hpp>
#include <transport/tcp.hpp>

#include "../tests/support/identity.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace tutti;
using clock_type = std::chrono::steady_clock;
using world = communicator<transport::tcp>;
using seconds = std::chrono::duration<double>;

struct settings {
    int ranks = 4;
    std::size_t mebibytes = 16;
    int steps = 15;
};

/// As in convolutional networks: many small parameters first, few large ones last.
std::vector<training::parameter> layers(std::size_t bytes) {
    std::vector<training::parameter> all;
    constexpr std::size_t number = 48, parts = number * (number + 1) / 2;
    for (std::size_t i = 1; i <= number; ++i)
        all.push_back({"layer " + std::to_string(i), bytes / sizeof(float) * i / parts});
    return all;
}

/// Work that takes about so long where nothing else runs.
void work(seconds time) {
    static const double a_second = [] {
        constexpr int some = 20'000'000;
        volatile float x = 1;
        const auto start = clock_type::now();
        for (int i = 0; i < some; ++i) x = x * 0.999F;
        return some / seconds(clock_type::now() - start).count();
    }();
    volatile float x = 1;
    for (auto left = static_cast<long>(time.count() * a_second); left > 0; --left) x = x * 0.999F;
}

void compute(seconds time, bool is_busy) {
    if (is_busy)
        work(time);
    else if (time.count() > 0)
        std::this_thread::sleep_for(time);
}

/// One way to cut the gradients, and what its steps took. One has the pass alone.
struct contestant {
    const char* name;
    std::unique_ptr<training::gradient_buckets<world>> buckets;
    bool reduces = true;
    std::vector<double> seconds_of_steps{};
};

/// A step whose backward pass takes so long; its time.
double step(const world& all, contestant& c, seconds pass, bool is_busy) {
    all.barrier();
    const auto start = clock_type::now();
    const auto& plan = c.buckets->plan();
    for (std::size_t i = plan.parameters().size(); i-- > 0;) {
        const double share = static_cast<double>(plan.parameters()[i].elements) / static_cast<double>(plan.elements());
        compute(pass * share, is_busy);
        if (c.reduces) c.buckets->ready(i);
    }
    if (c.reduces) c.buckets->finish();
    return seconds(clock_type::now() - start).count();
}

double median(std::vector<double> values) {
    std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
    return values[values.size() / 2];
}

/// Steps of all contestants in turn.
void in_turn(const world& all, std::vector<contestant>& contestants, seconds pass, bool is_busy, int steps) {
    for (auto& c : contestants) c.seconds_of_steps.clear();
    for (int k = 0; k <= steps; ++k)
        for (auto& c : contestants) {
            const double taken = step(all, c, pass, is_busy);
            if (k > 0) c.seconds_of_steps.push_back(taken); // the first one is warmer for some than for others
        }
}

void report(const std::vector<contestant>& contestants, const char* what, double apart) {
    const double pass = median(contestants[0].seconds_of_steps), all = median(contestants[2].seconds_of_steps);
    std::printf("%s: the pass alone %.2f ms, the allreduce alone %.2f ms\n", what, pass * 1e3, apart * 1e3);
    for (std::size_t k = 1; k < contestants.size(); ++k) {
        const auto& c = contestants[k];
        const double taken = median(c.seconds_of_steps);
        std::printf("  %-12s %3zu calls %8.2f ms a step, %.2f of one for all, %4.0f %% hidden\n", c.name,
                    c.buckets->plan().buckets().size(), taken * 1e3, taken / all, 100 * (pass + apart - taken) / apart);
    }
}

void run(const world& all, const settings& s) {
    const auto parameters = layers(s.mebibytes << 20);
    const std::size_t bytes = s.mebibytes << 20;
    const auto cut = [&](std::size_t first, std::size_t most) {
        return std::make_unique<training::gradient_buckets<world>>(
            all, parameters, training::bucket_options{.bytes = {first, most}, .how = algorithm::ring{}});
    };
    std::vector<contestant> contestants;
    contestants.push_back({"pass alone", cut(bytes, bytes), false});
    contestants.push_back({"one a layer", cut(0, 0)});
    contestants.push_back({"one for all", cut(bytes, bytes)});
    contestants.push_back({"buckets", cut(bytes / 16, bytes / 4)});
    in_turn(all, contestants, seconds{}, false, s.steps);
    const double apart = all.broadcast(median(contestants[2].seconds_of_steps), 0);
    if (all.rank() == 0) report(contestants, "no computing", apart);
    for (const bool is_busy : {false, true}) {
        in_turn(all, contestants, seconds(apart), is_busy, s.steps);
        if (all.rank() == 0) report(contestants, is_busy ? "computing" : "asleep", apart);
    }
}

} // namespace

int main(int count, char** words) {
    settings s;
    if (count > 1) s.ranks = std::atoi(words[1]);
    if (count > 2) s.mebibytes = static_cast<std::size_t>(std::atoi(words[2]));
    if (count > 3) s.steps = std::atoi(words[3]);
    if (s.ranks < 1 || s.mebibytes < 1 || s.steps < 1) return std::fputs("every number is at least 1\n", stderr), 2;
    const test::reserved_port at;
    std::vector<std::thread> threads;
    for (int r = 0; r < s.ranks; ++r)
        threads.emplace_back([&, r] {
            try {
                run(world{transport::tcp{test::identity(r, s.ranks, at)}, progress::by_waiters}, s);
            } catch (const std::exception& e) {
                std::fprintf(stderr, "rank %d: %s\n", r, e.what());
                std::exit(1);
            }
        });
    for (auto& t : threads) t.join();
}
