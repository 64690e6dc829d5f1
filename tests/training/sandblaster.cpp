// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <training/sandblaster.hpp>

#include <collectives/collectives.hpp>
#include <transport/simulated.hpp>

#include "support/catch.hpp"
#include "support/expect.hpp"

#include <algorithm>
#include <chrono>
#include <deque>
#include <functional>
#include <numeric>
#include <random>
#include <vector>

namespace tutti::test::sandblasts {
namespace {

using namespace std::chrono_literals;
using training::sandblaster::add_products;
using training::sandblaster::add_scaled;
using training::sandblaster::crew;
using training::sandblaster::lbfgs_step;
using training::sandblaster::operation;
using training::sandblaster::portion;
using training::sandblaster::portion_result;
using training::sandblaster::product_sum;
using training::sandblaster::vector_id;
using communicator_type = tutti::communicator<transport::simulated>;
using floats = std::vector<float>;

/// A sum of terms, which are spread over the portions of a batch. value(term, x, g) adds the term's gradient to g.
struct function {
    std::size_t size = 0;
    std::size_t terms = 0;
    std::function<double(std::size_t, std::span<const float>, std::span<float>)> value;
    float first = 0; ///< of all weights
    float least = 0; ///< where the minimum is
};

function quadratic() {
    return {40, 40,
            [](std::size_t i, std::span<const float> x, std::span<float> g) {
                const auto bend = static_cast<float>(1 + i % 7);
                if (!g.empty()) g[i] += bend * (x[i] - 1);
                return 0.5 * bend * (x[i] - 1) * (x[i] - 1);
            },
            -3, 1};
}
function rosenbrock() {
    return {10, 9,
            [](std::size_t i, std::span<const float> x, std::span<float> g) {
                const double a = 1 - x[i], b = x[i + 1] - static_cast<double>(x[i]) * x[i];
                if (!g.empty()) {
                    g[i] += static_cast<float>(-2 * a - 400 * b * x[i]);
                    g[i + 1] += static_cast<float>(200 * b);
                }
                return a * a + 100 * b * b;
            },
            0, 1};
}

portion_result value_of(const function& f, std::uint32_t number, std::uint32_t of, std::span<const float> x,
                        std::span<float> g) {
    portion_result sum;
    for (std::size_t i = f.terms * number / of; i < f.terms * (number + 1) / of; ++i) sum.loss += f.value(i, x, g);
    return sum;
}

constexpr std::uint32_t portions_of_batch = 7;

/// The textbook's L-BFGS in one process, with plain vectors. Sums are in the same order as those of the shards.
struct serial {
    const function& f;
    const std::size_t history = 5;
    floats x = floats(f.size, f.first), g = floats(f.size);
    struct pair {
        floats s, y;
        double product;
    };
    std::deque<pair> pairs{};

    static double dot(const floats& a, const floats& b) {
        product_sum sum;
        add_products(sum, a, b);
        return sum.value();
    }
    double evaluate(const floats& at, floats& gradient) const {
        training::sandblaster::portion_sum sum(portions_of_batch);
        double total = 0;
        for (std::uint32_t p = 0; p < portions_of_batch; ++p) {
            floats part(f.size);
            total += value_of(f, p, portions_of_batch, at, part).loss;
            sum.add(p, std::move(part));
        }
        gradient = sum.take();
        return total;
    }
    floats direction() const {
        floats q = g;
        std::vector<double> alpha(pairs.size());
        for (std::size_t i = pairs.size(); i-- > 0;) {
            alpha[i] = dot(pairs[i].s, q) / pairs[i].product;
            add_scaled(q, static_cast<float>(-alpha[i]), pairs[i].y);
        }
        const double scale = pairs.empty() ? 1 : pairs.back().product / dot(pairs.back().y, pairs.back().y);
        for (float& v : q) v *= static_cast<float>(-scale);
        for (std::size_t i = 0; i < pairs.size(); ++i)
            add_scaled(q, static_cast<float>(-dot(pairs[i].y, q) / pairs[i].product - alpha[i]), pairs[i].s);
        return q;
    }
    std::vector<double> run(int steps) {
        std::vector<double> values;
        double value = evaluate(x, g);
        for (int i = 0; i < steps; ++i) {
            const floats d = direction();
            const double slope = dot(g, d);
            floats next, next_g;
            const auto found = training::sandblaster::search_line(
                {0, value, slope}, pairs.empty() ? std::min(1., 1 / std::sqrt(-slope)) : 1., [&](double step) {
                    next = x;
                    add_scaled(next, static_cast<float>(step), d);
                    const double at = evaluate(next, next_g);
                    return training::sandblaster::line_point{step, at, dot(next_g, d)};
                });
            if (!found) break;
            pair p{next, next_g, 0};
            add_scaled(p.s, -1, x);
            add_scaled(p.y, -1, g);
            p.product = dot(p.s, p.y);
            pairs.push_back(std::move(p));
            if (pairs.size() > history) pairs.pop_front();
            x = next;
            g = next_g;
            values.push_back(value = found->value);
        }
        return values;
    }
};

/// Who does what in a run, and what happens to it.
struct plan {
    int shards = 1, replicas = 3;
    bool apart = false;                               ///< the coordinator holds no shard
    unsigned seed = 1;                                ///< of the times that portions take
    std::map<int, std::chrono::nanoseconds> deaths{}; ///< by rank, after the links are made
    std::vector<int> stopped{};                       ///< ranks that do nothing for an hour
    int strange = -1;                                 ///< its computation fails by a rank of its own world
    std::chrono::nanoseconds slow{};                  ///< what a quarter of a portion takes besides

    [[nodiscard]] bool stops(int rank) const { return std::ranges::count(stopped, rank) > 0; }
    [[nodiscard]] int others() const { return apart ? 1 : 0; }
    [[nodiscard]] int ranks() const { return others() + shards + replicas; }
    [[nodiscard]] crew of(std::size_t parameters) const {
        crew c{.parameters = parameters};
        for (int r = others(); r < others() + shards; ++r) c.shards.push_back(r);
        for (int r = others() + shards; r < ranks(); ++r) c.replicas.push_back(r);
        return c;
    }
};

struct outcome {
    std::vector<double> values; ///< after each step
    floats weights;
    std::size_t lost = 0;
    std::uint64_t unused = 0;
    std::chrono::nanoseconds begin{}, end{};    ///< by the coordinator's clock
    std::chrono::nanoseconds finished{};        ///< likewise, of finish()
    std::vector<std::optional<cause>> failures; ///< by rank
    std::vector<int> blamed;                    ///< likewise, whom they name
};

/// Trains by L-BFGS in virtual time.
class job {
public:
    job(const function& f, const plan& how, int steps)
        : f_(f), how_(how), steps_(steps), crew_(how.of(f.size)),
          world_(transport::simulated_world::create({.size = how.ranks(), .price = [](std::size_t bytes, bool) {
                                                         const std::chrono::nanoseconds wire(bytes);
                                                         return transport::message_price{1us, 1us, 5us, wire, 0us};
                                                     }})) {
        found_.weights.resize(f.size);
        found_.failures.resize(static_cast<std::size_t>(how.ranks()));
        found_.blamed.resize(found_.failures.size(), -1);
    }
    outcome run() {
        world_->run([this](transport::simulated end) {
            const communicator_type all{std::move(end)};
            const auto rank = static_cast<std::size_t>(all.rank());
            const training::sandblaster::crew_links<communicator_type> links(all, crew_);
            try {
                if (links.coordinates())
                    coordinate(links);
                else if (links.shard() >= 0)
                    serve(links);
                else
                    compute(links, all.rank());
            } catch (const error& e) {
                found_.failures[rank] = e.why();
                found_.blamed[rank] = e.facts().peer;
                if (links.coordinates()) found_.finished = world_->now();
            }
        });
        return found_;
    }

private:
    using links_type = training::sandblaster::crew_links<communicator_type>;

    void note(const links_type& links, std::span<const float> part) {
        const auto first = links.part(static_cast<std::size_t>(links.shard())).first;
        std::copy(part.begin(), part.end(), found_.weights.begin() + static_cast<std::ptrdiff_t>(first));
    }
    floats first_weights(const links_type& links) const {
        return floats(links.part(static_cast<std::size_t>(links.shard())).count, f_.first);
    }
    void coordinate(const links_type& links) {
        found_.begin = world_->now();
        for (const auto& [rank, when] : how_.deaths) world_->kill_at(rank, world_->now() + when);
        training::sandblaster::coordinator boss(links, links.shard() >= 0 ? first_weights(links) : floats());
        training::sandblaster::lbfgs method(boss, {.history = 5});
        for (int i = 0; i < steps_; ++i) {
            const lbfgs_step step = method.step([&](auto x, auto g) {
                double total = 0;
                for (const portion_result& r : boss.evaluate(x, {7, portions_of_batch}, g)) total += r.loss;
                return total;
            });
            if (step.length == 0) break;
            found_.values.push_back(step.value);
        }
        boss.copy(method.weights(), 0);
        found_.end = world_->now();
        boss.finish();
        found_.finished = world_->now();
        if (links.shard() >= 0) note(links, boss.vector(0));
        found_.lost = boss.lost();
        found_.unused = boss.unused();
    }
    void serve(const links_type& links) {
        training::sandblaster::shard_server own(links, first_weights(links));
        if (how_.stops(links.of().shards[static_cast<std::size_t>(links.shard())])) world_->compute(1h);
        own.serve();
        note(links, own.vector(0));
    }
    /// Replica 0 is the slowest by far.
    void compute(const links_type& links, int rank) {
        std::mt19937 random(how_.seed * 100 + static_cast<unsigned>(rank));
        training::sandblaster::replica own(links);
        if (how_.stops(rank)) world_->compute(1h);
        own.run([&](const portion& p, std::span<const float> x, std::span<float> g,
                    const auto& is_outdated) -> std::optional<portion_result> {
            expect(p.batch == 7 && p.of == portions_of_batch, "the replica hears which portion it is");
            if (rank == how_.strange)
                throw error(tutti::detail::make_fault(cause::lost_peer, "allreduce", 7, "rank 7 was lost"));
            for (int slice = 0; slice < 4; ++slice) {
                world_->compute(how_.slow);
                world_->compute(std::chrono::microseconds(random() % (links.replica() == 0 ? 2000 : 200)));
                if (is_outdated()) return {};
            }
            return value_of(f_, p.number, p.of, x, g);
        });
    }

    const function& f_;
    const plan& how_;
    const int steps_;
    const crew crew_;
    const std::shared_ptr<transport::simulated_world> world_;
    outcome found_;
};

outcome run(const function& f, const plan& how, int steps = 12) { return job(f, how, steps).run(); }

bool is_lost(const std::optional<cause>& why) {
    return why == cause::lost_peer || why == cause::aborted || why == cause::timeout;
}

} // namespace

TEST_CASE("Sandblaster has the bits of a serial L-BFGS, on any number of shards and replicas") {
    for (const function& f : {quadratic(), rosenbrock()}) {
        serial alone{f};
        const std::vector<double> expected = alone.run(12);
        for (const plan& how : {plan{1, 1}, plan{1, 3}, plan{3, 2, true}, plan{2, 9}}) {
            CAPTURE(f.size, how.shards, how.replicas);
            const outcome found = run(f, how);
            CHECK(found.values == expected);
            CHECK(found.weights == alone.x);
        }
    }
}

TEST_CASE("L-BFGS by commands finds the minimum of a quadratic and of Rosenbrock's function") {
    for (const function& f : {quadratic(), rosenbrock()}) {
        const outcome found = run(f, {2, 3}, 100);
        for (const float x : found.weights) CHECK(std::abs(x - f.least) < 1e-2F);
        CHECK(found.values.back() < 1e-6);
    }
}

TEST_CASE("replicas that are killed at random change no bit, in 200 trials") {
    const function f = rosenbrock();
    constexpr int some_steps = 7;
    const outcome whole = run(f, {2, 4}, some_steps);
    CHECK(whole.lost == 0);
    CHECK(whole.unused > 0); // backup tasks have been used
    std::size_t lost = 0;
    for (unsigned seed = 1; seed <= 200; ++seed) {
        CAPTURE(seed);
        std::mt19937 random(seed);
        plan how{2, 4, seed % 2 == 0, seed};
        for (int deaths = 1 + static_cast<int>(random() % 3); deaths > 0; --deaths) {
            const int victim = how.others() + how.shards + static_cast<int>(random() % 4);
            const auto when = static_cast<double>(random() % 1000) / 1000 * (whole.end - whole.begin);
            if (how.deaths.size() < 3) how.deaths[victim] = std::chrono::duration_cast<std::chrono::nanoseconds>(when);
        }
        const outcome found = run(f, how, some_steps);
        lost += found.lost;
        REQUIRE(found.values == whole.values);
        REQUIRE(found.weights == whole.weights);
        for (std::size_t r = 0; r < found.failures.size(); ++r)
            REQUIRE((!found.failures[r] || how.deaths.contains(static_cast<int>(r))));
    }
    CHECK(lost > 200);
}

TEST_CASE("a lost shard, coordinator or last replica is an error on all ranks") {
    const function f = rosenbrock();
    for (const int victim : {0, 1, 2})
        for (const auto when : {100us, 1500us, 4000us}) {
            CAPTURE(victim, when.count());
            plan how{2, 3, true};
            how.deaths[victim] = when;
            const outcome found = run(f, how);
            for (std::size_t r = 0; r < found.failures.size(); ++r)
                CHECK((is_lost(found.failures[r]) || static_cast<int>(r) == victim));
        }
    plan alone{1, 2};
    alone.deaths = {{1, 100us}, {2, 300us}};
    CHECK(is_lost(run(f, alone).failures[0]));
}

TEST_CASE("a replica that is stopped holds up the end for the goodbye alone, and is named") {
    const function f = rosenbrock();
    const outcome whole = run(f, {2, 3});
    for (const bool apart : {false, true}) {
        plan how{2, 3, apart};
        how.stopped = {how.ranks() - 1};
        const outcome found = run(f, how);
        CHECK((found.values == whole.values && found.weights == whole.weights));
        CHECK(found.lost == 1);
        CHECK(found.finished - found.end < 31s);
        for (std::size_t r = 0; r < found.failures.size(); ++r)
            CHECK(found.failures[r].has_value() == how.stops(static_cast<int>(r)));
    }
}

TEST_CASE("where all replicas are stopped before they begin the coordinator names one, after ten minutes") {
    plan how{2, 2, true};
    how.stopped = {3, 4};
    const outcome found = run(rosenbrock(), how);
    CHECK(found.failures[0] == cause::timeout);
    CHECK(how.stops(found.blamed[0]));
    const auto waited = found.finished - found.begin; // and then less than a second for the verdict
    CHECK((waited >= 10min && waited < 10min + 1s));
    for (const int shard : {1, 2}) CHECK(is_lost(found.failures[static_cast<std::size_t>(shard)]));
}

TEST_CASE("a replica whose computation fails by a rank that is none of the crew is lost alone") {
    const function f = rosenbrock();
    const outcome whole = run(f, {2, 3});
    plan how{2, 3};
    how.strange = 3;
    const outcome found = run(f, how);
    CHECK((found.values == whole.values && found.weights == whole.weights));
    CHECK(found.lost == 1);
    for (std::size_t r = 0; r < found.failures.size(); ++r) CHECK(found.failures[r].has_value() == (r == 3));
}

TEST_CASE("a shard that is stopped is named by all that work with it, after the deadline") {
    for (const bool apart : {false, true}) {
        plan how{2, 2, apart};
        const int victim = how.others() + 1;
        how.stopped = {victim};
        const outcome found = run(rosenbrock(), how);
        CHECK(found.failures[0] == cause::lost_peer);
        CHECK(found.blamed[0] == victim);
        CHECK(found.finished - found.begin < 31s);
        for (int r = victim + 1; r < how.ranks(); ++r) CHECK(found.blamed[static_cast<std::size_t>(r)] == victim);
    }
}

TEST_CASE("a replica that is slow, or that has nothing to do for long, is not lost") {
    const function f = quadratic();
    const outcome quick = run(f, {2, 3, true}, 3);
    plan how{2, 3, true};
    how.slow = 40s; // a portion takes 160 s, of 60 s; when two have the last one, the third waits for them
    const outcome found = run(f, how, 3);
    CHECK((found.values == quick.values && found.weights == quick.weights));
    CHECK(found.lost == 0);
    CHECK(found.end - found.begin > 10min);
    for (const auto& failure : found.failures) CHECK(!failure);
}

/// Vectors that are here.
struct own_vectors {
    training::sandblaster::shard of;
    double dot(vector_id x, vector_id y) { return of.dot(x, y).value(); }
    void scale(float factor, vector_id y) { of.change({.what = operation::scale, .y = y, .factor = factor}); }
    void axpy(float factor, vector_id x, vector_id y) {
        of.change({.what = operation::axpy, .x = x, .y = y, .factor = factor});
    }
    void copy(vector_id x, vector_id y) { of.change({.what = operation::copy, .x = x, .y = y}); }
};

TEST_CASE("a line search that finds nothing is told, and is not made again for the same objective") {
    own_vectors all{training::sandblaster::shard(floats{1, 2})};
    training::sandblaster::lbfgs method(all);
    int evaluations = 0;
    const auto flat = [&](vector_id, vector_id g) { // the gradient promises what the value does not hold
        ++evaluations;
        std::ranges::fill(all.of.vector(g), 1.F);
        return 3.;
    };
    const lbfgs_step first = method.step(flat);
    CHECK((first.length == 0 && first.value == 3 && first.evaluations == evaluations));
    CHECK(evaluations == 21);
    for (int k = 0; k < 3; ++k) CHECK(method.step(flat).evaluations == 0);
    CHECK(all.of.vector(method.weights())[1] == 2);
    method.change_objective();
    CHECK(method.step(flat).evaluations == 21);
}

TEST_CASE("backup tasks: a slow replica holds up nobody") {
    const function f = rosenbrock();
    const outcome alone = run(f, {1, 1}), four = run(f, {1, 4});
    CHECK(four.values == alone.values);
    CHECK(four.end - four.begin < (alone.end - alone.begin) / 10);
}

TEST_CASE("portions go to whoever is free, the last ones twice, and a lost replica's come again") {
    training::sandblaster::portions all(3);
    CHECK(all.next(0) == 0U);
    CHECK(all.next(1) == 1U);
    CHECK(all.next(2) == 2U);
    CHECK(all.done(1));
    CHECK(all.next(1) == 0U); // a backup
    CHECK(all.next(3) == 2U); // likewise
    CHECK(!all.next(4));
    all.lose(2); // portion 2 is still at replica 3
    CHECK(all.next(4) == 2U);
    CHECK(all.done(2));
    CHECK(!all.done(2));
    all.lose(0);
    all.lose(1);
    CHECK(all.next(5) == 0U); // nobody has it any more
    CHECK(!all.complete());
    CHECK(all.done(0));
    CHECK(all.complete());
}

TEST_CASE("a sum of portions has the same bits in any order, whatever comes twice") {
    std::mt19937 random(3);
    std::uniform_real_distribution<float> number(-1, 1);
    for (const std::uint32_t n : {1U, 2U, 3U, 7U, 16U, 33U}) {
        std::vector<floats> parts(n, floats(5));
        for (floats& p : parts)
            for (float& x : p) x = number(random);
        floats first;
        std::vector<std::uint32_t> order(n);
        std::iota(order.begin(), order.end(), 0U);
        for (int trial = 0; trial < 20; ++trial) {
            training::sandblaster::portion_sum sum(n);
            for (const std::uint32_t p : order) {
                CHECK(!sum.complete());
                CHECK(sum.add(p, parts[p]));
                CHECK(sum.add(p, parts[p]));
            }
            CHECK(!sum.add(n, parts[0]));
            REQUIRE(sum.complete());
            const floats found = sum.take();
            if (trial == 0) first = found;
            CHECK(found == first);
            std::shuffle(order.begin(), order.end(), random);
        }
    }
}

TEST_CASE("a search along a line returns the point that it asked for last, or none") {
    using training::sandblaster::line_point;
    using training::sandblaster::search_line;
    const auto search = [](double first, const auto& f) {
        line_point last;
        const auto found = search_line(f(0.), first, [&](double step) { return last = f(step); });
        if (found) CHECK(found->step == last.step);
        return found;
    };
    const auto parabola = [](double t) { return line_point{t, (t - 3) * (t - 3), 2 * (t - 3)}; };
    for (const double first : {1e-3, 1., 100.}) {
        const auto found = search(first, parabola);
        REQUIRE(found);
        CHECK(found->value < 9);
        CHECK(found->slope >= -0.9 * 6);
    }
    const auto wall = [](double t) { return t < 0.1 ? line_point{t, -t, -1} : line_point{t, NAN, NAN}; };
    CHECK(!search(1, wall)); // the slope never rises
}

TEST_CASE("a crew that cannot work is refused") {
    const auto cause_of = [](const crew& c) {
        std::optional<cause> found;
        const auto world = transport::simulated_world::create({.size = 3});
        world->run([&](transport::simulated end) {
            const communicator_type all{std::move(end)};
            try {
                const training::sandblaster::crew_links<communicator_type> links(all, c);
            } catch (const error& e) {
                found = e.why();
            }
        });
        return found;
    };
    CHECK(!cause_of({8, 0, {0}, {1, 2}}));
    for (const crew& c : {crew{8, 0, {}, {1, 2}}, crew{8, 0, {0}, {}}, crew{1, 0, {0, 1}, {2}}, crew{8, 0, {1}, {0, 2}},
                          crew{8, 0, {1}, {1}}, crew{8, 0, {0}, {7}}})
        CHECK(cause_of(c) == cause::invalid_argument);
}

} // namespace tutti::test::sandblasts
