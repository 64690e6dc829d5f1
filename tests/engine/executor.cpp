// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/algorithm/preserves_order.hpp>
#include <collectives/engine/membership.hpp>

#include "support/catch.hpp"
#include "support/effort.hpp"
#include "support/threaded_executor.hpp"
#include "support/typed_call.hpp"
#include "support/world.hpp"

#include <cstring>
#include <deque>
#include <functional>
#include <vector>

using namespace tutti::test;
using tutti::engine::executor;
using tutti::engine::local_work;
using tutti::schedule::operation;
namespace algorithm = tutti::algorithm;
namespace transport = tutti::transport;
using handle = tutti::test::communicator;

namespace {

/// Which ranks have an executor.
enum class who { all, even, last };
constexpr std::array everyone{who::all, who::even, who::last};

bool has_one(who w, const handle& world) {
    return w == who::all || (w == who::even && world.rank() % 2 == 0) ||
           (w == who::last && world.rank() + 1 == world.size());
}

/// x -> a x + b, chained: associative, and not commutative.
struct affine {
    std::uint32_t a, b;
};
constexpr auto chain = [](affine f, affine g) noexcept { return affine{f.a * g.a, f.b * g.a + g.b}; };

template <class T>
T element_of(std::size_t i, int rank) {
    const auto k = static_cast<unsigned>(i) * 7 + static_cast<unsigned>(rank) * 3 + 1;
    if constexpr (std::is_same_v<T, affine>)
        return {2 * k + 1, k};
    else
        return static_cast<T>(0.1F * static_cast<float>(k % 1000) + 1.0F / static_cast<float>(k)); // rounds
}

/// One call, by a handle, of this rank's data; returns what it has written.
template <class T>
class caller {
public:
    template <class Op>
    caller(operation o, algorithm::any how, std::size_t count, bool in_place, Op op) {
        run_ = [=](const handle& world) {
            const auto size = static_cast<std::size_t>(world.size());
            const int root = world.size() / 2;
            std::vector<T> in(count * size), out(count * size);
            for (std::size_t i = 0; i < in.size(); ++i) in[i] = element_of<T>(i, world.rank());
            const auto at = tutti::test::typed_call(world, o, std::span(in), std::span(out), in_place, root, op, how);
            const auto* const first = (at.in_input ? in : out).data() + at.first;
            return std::vector<T>(first, first + at.count);
        };
    }
    std::vector<T> operator()(const handle& world) const { return run_(world); }

private:
    std::function<std::vector<T>(const handle&)> run_;
};

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

/// The call gives the same bits whichever ranks have an executor.
template <class T, class Op>
void expect_same(handle& world, executor& e, operation o, const algorithm::any& how, std::size_t count, Op op) {
    for (const bool in_place : {false, true}) {
        const caller<T> call(o, how, count, in_place, op);
        const auto expected = call(world);
        for (const who w : everyone) {
            const auto got = call(has_one(w, world) ? world.with_executor(e) : world);
            expect(same_bits(got, expected), std::string(how.name()) + " " + std::string(name_of(o)) + " of " +
                                                 std::to_string(count) + (in_place ? " in place" : ""));
        }
    }
}

/// An executor without a thread: a piece is done when it was asked for it some times. It wants no sleep meanwhile.
class lazy_executor final : public executor {
public:
    bool start(const local_work& work, transport::transfer& x) override {
        pieces_.push_back({work, &x});
        return false;
    }
    bool progress() override {
        if (++asked_ % 3 != 0 || pieces_.empty()) return !pieces_.empty();
        pieces_.front().work.run();
        transport::complete(*pieces_.front().x);
        pieces_.pop_front();
        return true;
    }
    void stop(transport::transfer_queue& of) noexcept override {
        std::erase_if(pieces_, [&](const piece& p) { return p.x->owner == &of; });
    }

private:
    struct piece {
        local_work work;
        transport::transfer* x;
    };
    std::deque<piece> pieces_;
    int asked_ = 0;
};

/// An executor that does all at once, and keeps account.
class prompt_executor final : public executor {
public:
    bool start(const local_work& work, transport::transfer&) override {
        expect(work.elements > 0 && work.sources > 0 && work.to, "work that is some");
        ++number[static_cast<std::size_t>(work.what)];
        last = work;
        work.run();
        return true;
    }
    bool progress() override { return false; }
    void stop(transport::transfer_queue&) noexcept override {}

    std::array<int, 4> number{}; ///< by kind
    local_work last;
};

} // namespace

TEST_CASE("with an executor on some ranks or all, every algorithm gives the same bits as without") {
    for (const int size : {1, 2, 3, 5, 8})
        run_world(size, [](handle& world) {
            threaded_executor e(static_cast<unsigned>(world.rank()) + 1);
            for (const auto o : tutti::schedule::operations)
                for (const auto& how : algorithm::all(2))
                    for (const std::size_t count : {std::size_t{0}, std::size_t{3}, std::size_t{700}})
                        if (how.offers(o)) expect_same<float>(world, e, o, how, count, tutti::sum);
            expect(e.in_hand() == 0 && e.stops() == 0, "nothing is left");
            expect(e.started() > 10, "it had to do");
        });
}

TEST_CASE("averages, premultiplied sums, numbers of 16 and 8 bits, functors and long messages give the same bits too") {
    for (const int size : sanitized ? std::vector{3} : std::vector{2, 3, 6})
        run_world(size, [](handle& world) {
            threaded_executor e(static_cast<unsigned>(world.rank()) + 11);
            for (const auto o : {operation::allreduce, operation::reduce_scatter, operation::reduce})
                for (const auto& how : algorithm::all(2)) {
                    if (!how.offers(o)) continue;
                    expect_same<double>(world, e, o, how, 50, tutti::average);
                    expect_same<tutti::float16>(world, e, o, how, 50, tutti::sum);
                    expect_same<tutti::float8_e4m3>(world, e, o, how, 3, tutti::average);
                    expect_same<float>(world, e, o, how, 70,
                                       tutti::premultiplied_sum(0.1F * static_cast<float>(world.rank() + 1)));
                    expect_same<float>(world, e, o, how, 9'000, [](float a, float b) { return a * 0.5F + b; });
                }
        });
}

TEST_CASE("operands keep their sides, whichever ranks have an executor") {
    const auto op = tutti::non_commutative(chain);
    for (const int size : {2, 3, 4, 7})
        run_world(size, [&](handle& world) {
            threaded_executor e(static_cast<unsigned>(world.rank()) + 21);
            int proven = 0;
            for (const auto o : {operation::allreduce, operation::reduce})
                for (const auto& how : algorithm::all(2))
                    if (how.offers(o) && how.preserves_order(o, world.size(), world.size() / 2)) {
                        expect_same<affine>(world, e, o, how, 40, op);
                        ++proven;
                    }
            expect(proven > 3, "some algorithms keep rank order");
        });
}

TEST_CASE("requests and prepared calls take the executor along") {
    run_world(4, [](handle& world) {
        threaded_executor e(static_cast<unsigned>(world.rank()) + 31);
        const auto mine = world.rank() == 1 ? world : world.with_executor(e);
        std::vector<std::vector<double>> data(9, std::vector<double>(500, world.rank() + 1.0));
        std::vector<tutti::test::request> requests;
        for (auto& d : data) requests.push_back(mine.async().allreduce(d, tutti::average, algorithm::ring{}));
        for (std::size_t k = requests.size(); k-- > 0;) requests[k].wait();
        for (const auto& d : data) expect(d[0] == 2.5 && d[499] == 2.5, "the average");

        std::vector<int> in(100, 1), out(100);
        auto plan = mine.prepare().allreduce(in, out, tutti::sum, algorithm::direct{});
        for (int k = 1; k <= 20; ++k) {
            in[99] = k;
            plan.run();
            expect(out[0] == 4 && out[99] == 4 * k, "the sum");
        }
        auto r = plan.start();
        while (!r.test()) {
        }
        mine.barrier();
        expect(mine.allreduce(world.rank(), tutti::maximum) == 3, "one value");
        expect((e.started() > 0) == (world.rank() != 1), "who has one uses it");
    });
}

TEST_CASE("with progress by waiters the library's thread asks the executor, too") {
    run_new_world(
        3,
        [](handle& world) {
            threaded_executor e(static_cast<unsigned>(world.rank()) + 41);
            const auto mine = world.with_executor(e);
            std::vector<float> a(3000, 1), b(3000, 2);
            for (int k = 0; k < 30; ++k) {
                auto first = mine.async().allreduce(a, tutti::average);
                auto second = mine.async().allreduce(b, tutti::maximum, algorithm::butterfly{});
                second.wait();
                first.wait();
            }
            expect(a[2999] == 1 && b[2999] == 2, "the results");
        },
        tutti::progress::by_waiters);
}

TEST_CASE("handles and communicators made from one with an executor have it, others do not") {
    run_world(2, [](handle& world) {
        prompt_executor e;
        const auto mine = world.with_executor(e);
        const auto half = mine.split(world.rank());
        expect(e.number == std::array<int, 4>{}, "the split's own memory is not given away");
        std::vector<double> in(10, 4), out(10);
        half.allreduce(in, out, tutti::sum);
        expect(e.number[0] == 1, "a copy on a communicator made from it");
        mine.duplicate().allreduce(in, out, tutti::average, algorithm::butterfly{});
        expect(e.number[2] == 1, "an average's last stage");
        expect(e.last.what == local_work::kind::finish && e.last.ranks == 2 && e.last.elements == 10, "of all of it");
        mine.with_deadline(std::chrono::seconds(20)).allreduce(in, out, tutti::sum, algorithm::butterfly{});
        expect(e.last.what == local_work::kind::reduce && e.last.sources == 2 && e.last.element_bytes == 8, "a reduce");
        expect(e.last.type == tutti::type_id<double>(), "the type");
        expect(e.last.operation_on_elements == tutti::operator_id(tutti::sum), "the operator");
        mine.allreduce(in, out, tutti::premultiplied_sum(3), algorithm::butterfly{});
        expect(e.number[3] == 1 && out[0] == 24 && in[0] == 4, "a premultiplied sum's first stage");
        const auto before = e.number;
        world.allreduce(in, out, tutti::sum);
        world.barrier();
        mine.barrier();
        expect(e.number == before, "no work of other handles, and none of no bytes");
    });
}

TEST_CASE("what is recorded tells of the steps that the executor does, from their start to their end") {
    run_world(2, [](handle& world) {
        threaded_executor e(61);
        std::vector<float> in(1000, 1), out(1000);
        auto recording = world.record(1000);
        world.with_executor(e).allreduce(in, out, tutti::sum, algorithm::butterfly{});
        const auto trace = recording.stop();
        std::array<int, 6> steps{};
        for (const auto& a : trace.activities) {
            ++steps[static_cast<std::size_t>(a.what)];
            expect(a.end_s >= a.begin_s && a.bytes == 4000, "times and bytes");
        }
        expect(steps == std::array<int, 6>{1, 1, 0, 0, 1, 0}, "a send, a receive and a reduce");
    });
}

TEST_CASE("an executor without a thread asks to be asked again") {
    run_world(3, [](handle& world) {
        lazy_executor e;
        for (const auto& how : algorithm::all(tutti::schedule::operation::allreduce, 2))
            expect_same<float>(world, e, operation::allreduce, how, 100, tutti::sum);
    });
}

TEST_CASE("who sleeps is woken when the work is done") {
    using namespace std::chrono_literals;
    run_world(1, [](handle& world) {
        threaded_executor e(51, 3ms);
        std::vector<int> in(10, 1), out(10);
        auto quickest = std::chrono::steady_clock::duration::max();
        for (int k = 0; k < 60; ++k) {
            const std::size_t before = e.started();
            e.hold();
            auto r = world.with_executor(e).async().allreduce(in, out, tutti::sum);
            expect(e.started() == before + 1, "it has the copy");
            std::thread other([&] {
                std::this_thread::sleep_for(5ms); // the driving thread sleeps by now, for 50 ms at a time
                e.let_go();
            });
            const auto start = std::chrono::steady_clock::now();
            r.wait();
            quickest = std::min(quickest, std::chrono::steady_clock::now() - start);
            other.join();
        }
        expect(quickest < 30ms, "it does not sleep on");
    });
}

TEST_CASE("a wakeup that outlives its world does nothing") {
    tutti::engine::wakeup kept;
    kept();
    run_new_world(1, [&](handle& world) {
        prompt_executor e;
        std::vector<int> in(1), out(1);
        world.with_executor(e).allreduce(in, out, tutti::sum);
        kept = e.last.wake;
        kept();
    });
    kept();
}

TEST_CASE("calls differ in nothing that ranks must agree on when one has an executor") {
    prompt_executor e;
    tutti::engine::call with{operation::allreduce, algorithm::ring{}}, without = with;
    with.by = &e;
    CHECK(meaning_of(with) == meaning_of(without));
    CHECK(in_words(with) == in_words(without));
    CHECK(!repeats(with, without));
}
