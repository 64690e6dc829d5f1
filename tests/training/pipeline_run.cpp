// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <tutti/training/pipeline/run.hpp>

#include <tutti/training/pipeline/all.hpp>

#include "support/catch.hpp"
#include "support/world.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace tutti::training;
using namespace tutti::test;

namespace {

using toy_weights = std::array<double, 2>;
using toy_data = std::vector<double>;

/// A chunk of a chain: out = weight * in + bias * in², on vectors of any lengths.
struct toy_chunk {
    static double in_of(std::span<const double> in, std::size_t i) { return in[i % in.size()]; }
    static void forward(const toy_weights& w, std::span<const double> in, std::span<double> out) {
        for (std::size_t i = 0; i < out.size(); ++i) {
            const double x = in_of(in, i);
            out[i] = w[0] * x + w[1] * x * x;
        }
    }
    /// Adds the gradient of the weights to `sum`; `in_gradient` may be empty.
    static void backward(const toy_weights& w, std::span<const double> in, std::span<const double> out_gradient,
                         std::span<double> in_gradient, toy_weights& sum) {
        std::fill(in_gradient.begin(), in_gradient.end(), 0);
        for (std::size_t i = 0; i < out_gradient.size(); ++i) {
            const double x = in_of(in, i), g = out_gradient[i];
            sum[0] += g * x;
            sum[1] += g * x * x;
            if (!in_gradient.empty()) in_gradient[i % in_gradient.size()] += g * (w[0] + 2 * w[1] * x);
        }
    }
    static void update(const toy_weights& before, toy_weights& sum, toy_weights& after) {
        for (std::size_t k = 0; k < 2; ++k) after[k] = before[k] - 0.01 * sum[k];
        sum = {};
    }
};

/// The first chunk's input for a microbatch.
toy_data toy_input(int microbatch) {
    toy_data all(5);
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = 0.1 * static_cast<double>(i) - 0.07 * microbatch;
    return all;
}
/// The gradient of the loss of the last chunk's output.
toy_data toy_loss_gradient(const toy_data& out) {
    toy_data all = out;
    for (double& x : all) x = (x - 0.5) / static_cast<double>(out.size());
    return all;
}
toy_weights toy_start(int chunk) { return {1 + 0.05 * chunk, 0.02 * (chunk + 1)}; }

constexpr std::size_t toy_outputs = 4;

struct toy_rule {
    std::function<int(int, int)> version; ///< of a microbatch on a worker
    std::function<int(int)> update;       ///< which the gradients of a microbatch enter
};

/// One microbatch after the other on one worker, with the versions of the rule. Returns all weights at the end.
std::vector<toy_weights> toy_serial(const pipeline::shape& of, const std::vector<std::size_t>& widths,
                                    const toy_rule& rule, std::vector<toy_weights> start) {
    const auto chunks = static_cast<std::size_t>(chunks_of(of));
    std::vector<std::vector<toy_weights>> history{std::move(start)};
    std::vector<toy_weights> sums(chunks);
    for (int m = 0; m < of.microbatches; ++m) {
        std::vector<toy_data> passed{toy_input(m)};
        const auto weights = [&](std::size_t c) {
            return history.at(static_cast<std::size_t>(rule.version(m, static_cast<int>(c) % of.stages)))[c];
        };
        for (std::size_t c = 0; c < chunks; ++c) {
            passed.emplace_back(c + 1 < chunks ? widths[c] : toy_outputs);
            toy_chunk::forward(weights(c), passed[c], passed[c + 1]);
        }
        toy_data gradient = toy_loss_gradient(passed.back());
        for (std::size_t c = chunks; c-- > 0;) {
            toy_data before(c > 0 ? passed[c].size() : 0);
            toy_chunk::backward(weights(c), passed[c], gradient, before, sums[c]);
            gradient = before;
        }
        if (m + 1 < of.microbatches && rule.update(m + 1) == rule.update(m)) continue;
        std::vector<toy_weights> next(chunks);
        for (std::size_t c = 0; c < chunks; ++c) toy_chunk::update(history.back()[c], sums[c], next[c]);
        history.push_back(std::move(next));
    }
    return history.back();
}

/// Runs the pipeline twice on this rank, and compares its weights with those of the serial runs.
void toy_run(const communicator& world, const pipeline::any& schedule, const pipeline::shape& of,
             const std::vector<std::size_t>& widths, const toy_rule& rule) {
    pipeline::runner<double, communicator> engine(world, schedule.write(of), widths);
    const auto versions = static_cast<std::size_t>(engine.held().versions);
    const auto chunks = static_cast<std::size_t>(of.chunks);
    const auto own = [&](int chunk) { return static_cast<std::size_t>(chunk / of.stages); };
    std::vector<std::vector<toy_weights>> kept(versions, std::vector<toy_weights>(chunks)); // by version and own chunk
    std::vector<toy_weights> sums(chunks), expected;
    for (int c = 0; c < chunks_of(of); ++c) expected.push_back(toy_start(c));
    for (std::size_t k = 0; k < chunks; ++k) kept[0][k] = toy_start(static_cast<int>(k) * of.stages + world.rank());
    const auto weights = [&](const pipeline::work& w) -> const toy_weights& {
        return kept[static_cast<std::size_t>(w.version) % versions][own(w.chunk)];
    };
    std::size_t latest = 0;
    for (int turn = 0; turn < 2; ++turn) {
        engine.run(
            [&](const pipeline::work& w, std::span<const double> in, std::span<double> out) {
                const toy_data first = toy_input(w.microbatch);
                toy_chunk::forward(weights(w), w.chunk == 0 ? std::span<const double>(first) : in, out);
            },
            [&](const pipeline::work& w, std::span<const double> in, std::span<const double> out,
                std::span<const double> out_gradient, std::span<double> in_gradient) {
                const toy_data first = toy_input(w.microbatch);
                if (w.chunk == 0) in = first;
                toy_data last;
                if (w.chunk + 1 == chunks_of(of)) {
                    toy_data result(toy_outputs);
                    toy_chunk::forward(weights(w), in, result);
                    last = toy_loss_gradient(result);
                    out_gradient = last;
                } else {
                    toy_data again(out.size());
                    toy_chunk::forward(weights(w), in, again);
                    expect(std::equal(again.begin(), again.end(), out.begin()), "the activation is still there");
                }
                toy_chunk::backward(weights(w), in, out_gradient, in_gradient, sums[own(w.chunk)]);
            },
            [&](int version) {
                latest = static_cast<std::size_t>(version);
                for (std::size_t k = 0; k < chunks; ++k)
                    toy_chunk::update(kept[(latest - 1) % versions][k], sums[k], kept[latest % versions][k]);
            });
        kept[0] = kept[latest % versions];
        expected = toy_serial(of, widths, rule, expected);
        for (std::size_t k = 0; k < chunks; ++k)
            expect(kept[0][k] ==
                       expected[k * static_cast<std::size_t>(of.stages) + static_cast<std::size_t>(world.rank())],
                   "the weights of the serial run");
    }
}

toy_rule toy_rule_of(std::string_view name, const pipeline::shape& of) {
    const int stages = of.stages;
    const auto each = [](int m) { return m + 1; };
    if (name == "pipedream") return {[=](int m, int s) { return std::max(0, m - (stages - 1 - s)); }, each};
    if (name == "pipedream_vertical_sync") return {[=](int m, int) { return std::max(0, m - (stages - 1)); }, each};
    if (name == "pipedream_2bw")
        return {[=](int m, int) { return std::max(0, m / stages - 1); }, [=](int m) { return m / stages + 1; }};
    return {[](int, int) { return 0; }, [](int) { return 1; }};
}

std::vector<std::size_t> toy_widths(const pipeline::shape& of, std::size_t least) {
    std::vector<std::size_t> all;
    for (int b = 0; b + 1 < chunks_of(of); ++b) all.push_back(least + static_cast<std::size_t>(b % 3));
    return all;
}

} // namespace

TEST_CASE("every pipeline ends with the bits of one worker that follows its rule") {
    for (const pipeline::any& a : pipeline::schedules)
        for (const int stages : {1, 2, 4})
            for (const int microbatches : {1, 3, 8})
                for (int v = 1; v <= (a.takes_chunks ? 3 : 1); ++v) {
                    const pipeline::shape of{stages, microbatches, v};
                    INFO(a.name << ", " << stages << " stages, " << microbatches << " microbatches, " << v
                                << " chunks");
                    run_world(stages, [&](communicator& world) {
                        toy_run(world, a, of, toy_widths(of, 1), toy_rule_of(a.name, of));
                    });
                }
}

TEST_CASE("messages that wait for their receives, and ranks with a thread of progress, change no bit") {
    constexpr std::size_t announced = 16 * 1024 / sizeof(double) + 1;
    for (const pipeline::any& a : pipeline::schedules) {
        const pipeline::shape of{3, 5, a.takes_chunks ? 2 : 1};
        INFO(a.name);
        const auto work = [&](communicator& world) {
            toy_run(world, a, of, toy_widths(of, announced), toy_rule_of(a.name, of));
        };
        run_world(3, work);
        run_new_world(3, work, tutti::progress::by_waiters);
    }
}

TEST_CASE("a program that is not proven, or does not fit the ranks, is refused") {
    run_world(2, [](communicator& world) {
        using engine = pipeline::runner<float, communicator>;
        const auto words = [&](pipeline::program p, std::vector<std::size_t> widths) {
            return fault_of([&] { engine(world, std::move(p), std::move(widths)); }).detail;
        };
        const auto right = pipeline::write<pipeline::gpipe>({2, 2});
        auto wrong = right;
        wrong.workers[0].pop_back();
        expect(words(wrong, {1}).find("enters no update") != std::string::npos, "the fault of the program");
        expect(words(pipeline::write<pipeline::gpipe>({3, 2}), {1, 1}) == "3 workers on 2 ranks", "too many workers");
        expect(words(right, {}).find("there are 0 widths, but") == 0, "a width is missing");
    });
}

TEST_CASE("a worker whose neighbour does not run its list ends by its deadline") {
    gate over(2);
    run_new_world(2, [&](communicator& world) {
        world.default_deadline(std::chrono::milliseconds(200));
        pipeline::runner<float, communicator> engine(world, pipeline::write<pipeline::gpipe>({2, 1}), {3});
        if (world.rank() == 0) {
            const auto facts = fault_of([&] { engine.run([](auto&&...) {}, [](auto&&...) {}, [](int) {}); });
            expect(facts.why == tutti::cause::timeout && facts.peer == 1, "a timeout that names the neighbour");
        }
        over.pass();
    });
}

TEST_CASE("a function that aborts and throws frees the other workers at once, and what it throws arrives") {
    run_new_world(3, [](communicator& world) {
        pipeline::runner<float, communicator> engine(world, pipeline::write<pipeline::one_f_one_b>({3, 4}), {2, 2});
        const auto forward = [&](const pipeline::work& w, auto&&...) {
            if (world.rank() != 1 || w.microbatch != 1) return;
            world.abort("no more");
            throw std::runtime_error("mine");
        };
        const auto run = [&] {
            engine.run(
                forward, [](auto&&...) {}, [](int) {});
        };
        const auto start = std::chrono::steady_clock::now();
        if (world.rank() == 1) {
            std::string words;
            try {
                run();
            } catch (const std::runtime_error& e) {
                words = e.what();
            }
            expect(words == "mine", "its own exception");
        } else {
            expect(fault_of(run).why == tutti::cause::aborted, "the abort");
        }
        expect(std::chrono::steady_clock::now() - start < patience / 2, "nobody waits for a deadline");
    });
}

TEST_CASE("the example of the documents: each chunk multiplies by its weight") {
    run_world(4, [](communicator& world) {
        namespace pipeline = tutti::training::pipeline;
        const auto steps = pipeline::write<pipeline::one_f_one_b>({.stages = world.size(), .microbatches = 8});
        pipeline::runner<float, communicator> engine(world, steps, {100, 100, 100}); // elements between neighbours
        float weight = 2, gradient = 0;

        engine.run(
            [&](const pipeline::work& w, std::span<const float> in, std::span<float> out) {
                for (std::size_t i = 0; i < out.size(); ++i)
                    out[i] = weight * (w.chunk == 0 ? static_cast<float>(w.microbatch) : in[i]);
            },
            [&](const pipeline::work&, std::span<const float> in, std::span<const float>,
                std::span<const float> out_gradient, std::span<float> in_gradient) {
                for (std::size_t i = 0; i < in.size(); ++i) {
                    const float g = out_gradient.empty() ? 1 : out_gradient[i]; // the last chunk's, of a loss
                    gradient += g * in[i];
                    in_gradient[i] = g * weight;
                }
            },
            [&](int) { weight -= 0.001F * std::exchange(gradient, 0.F); });
        // Chunk c > 0 gets 2^c m, and 2^(3-c) as gradient: 8 m for each element, and 28 is the sum of all m.
        expect(world.rank() == 0 || weight == 2 - 0.001F * (8 * 28 * 100), "one step of descent");
    });
}
