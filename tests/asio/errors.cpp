// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/asio.hpp>
#include <transport/memory.hpp>

#include "coroutines.hpp"
#include "support/expect.hpp"
#include "support/milestone.hpp"
#include "support/networked.hpp"
#include "support/world.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/experimental/parallel_group.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

using namespace tutti::test;
using namespace std::chrono_literals;
namespace net = boost::asio;
using boost::system::error_code;

namespace {

using world_type = tutti::any_communicator;
using request_type = tutti::request<tutti::transport::any>;

/// What awaiting gives by a callback, run in the context.
error_code code_of(net::io_context& context, request_type r) {
    std::optional<error_code> told;
    tutti::async_wait(std::move(r), net::bind_executor(context, [&](error_code e) { told = e; }));
    expect(!told, "no handler is called before async_wait has returned");
    context.restart();
    context.run();
    expect(told.has_value(), "a handler is called before the context ends");
    return *told;
}
void expect_misused(const error_code& code, const std::string& why) {
    expect(code == tutti::cause::invalid_argument, why + ": " + code.message());
    const auto whole = tutti::error_of(code);
    expect(whole && whole->facts().detail.find(why) != std::string::npos, why + ": " + code.message());
}

} // namespace

TEST_CASE("an error code has the cause, an exception the code, and both the whole error") {
    for (const auto by : {network::tcp, network::shared_memory, network::routed}) {
        milestone aborted;
        run_networked(by, 2, [&](const world_type& world) {
            net::io_context context;
            tutti::run_on(context, world);
            if (world.rank() == 0) {
                run(context, [](const world_type& w) -> net::awaitable<void> {
                    std::vector<int> x(3);
                    auto call = w.async().allreduce(x, tutti::sum);
                    w.abort("enough");
                    try {
                        co_await tutti::async_wait(std::move(call), net::use_awaitable);
                        expect(false, "it fails");
                    } catch (const boost::system::system_error& e) {
                        expect(e.code() == tutti::cause::aborted && e.code() != tutti::cause::timeout, "the cause");
                        const auto whole = tutti::error_of(e.code());
                        expect(whole && whole->facts().peer == 0, "the rank");
                        expect(whole->facts().detail.find("enough") != std::string::npos, "the reason");
                        expect(std::string(e.what()).find(whole->what()) != std::string::npos, "its sentence");
                    }
                }(world));
                aborted.reach();
            }
            aborted.await("rank 0 aborts");
            expect(fault_of([&] { world.barrier(); }).why == tutti::cause::aborted, "all know");
            std::optional<error_code> told;
            tutti::async_receive<int>(world, 1 - world.rank(), [&](error_code e, const std::vector<int>& got, int) {
                expect(got.empty(), "nothing has come");
                told = e;
            });
            expect(!told, "not at once");
            context.restart();
            context.run();
            expect(told == tutti::cause::aborted, "a receive that cannot start tells its handler");
        });
    }
}

TEST_CASE("of many errors the last ones are kept whole, and of earlier ones the cause") {
    run_networked(network::shared_memory, 1, [](const world_type& world) {
        net::io_context context;
        tutti::run_on(context, world);
        const auto first = code_of(context, request_type());
        for (int k = 0; k < 300; ++k) static_cast<void>(code_of(context, request_type()));
        const auto last = code_of(context, request_type());
        expect_misused(last, "was waited for");
        expect(tutti::error_of(first)->facts().detail.empty() && first == tutti::cause::invalid_argument, "the cause");
        expect(!tutti::error_of(error_code(net::error::operation_aborted)), "no error of tutti's");
    });
}

TEST_CASE("wrong uses are errors") {
    run_networked(2, [](const world_type& world) {
        int x = 0;
        net::io_context context, other;
        expect_misused(code_of(other, world.async().barrier()), "no context runs this world");
        tutti::run_on(context, world);
        tutti::run_on(context, world.duplicate()); // the same world
        expect_refused([&] { tutti::run_on(other, world); }, "another context runs");
        auto call = world.async().allreduce(std::span(&x, 1), tutti::sum);
        expect(!code_of(context, std::move(call)), "a call");
        expect_misused(code_of(context, std::move(call)), "waited for or moved from"); // NOLINT
        auto waited = world.async().barrier();
        waited.wait();
        expect_misused(code_of(context, std::move(waited)), "waited for or moved from");
        std::optional<error_code> told;
        tutti::async_receive<int>(world, 7, -1,
                                  net::bind_executor(context, [&](error_code e, auto&&...) { told = e; }));
        context.restart();
        context.run();
        expect_misused(*told, "there is no rank 7");
        world.barrier();
    });
    const tutti::communicator memory{tutti::transport::memory{tutti::transport::memory_world::create(1), 0}};
    net::io_context context;
    CHECK_THROWS_AS(tutti::run_on(context, memory), tutti::error);
}

TEST_CASE("a context that ends before its world: handlers go with it, the call is waited for, and another takes over") {
    run_networked(2, [](const world_type& world) {
        std::vector<int> x(50000, 1);
        if (world.rank() == 1) {
            std::this_thread::sleep_for(30ms);
            world.allreduce(x, tutti::sum);
        } else {
            const auto guard = std::make_shared<int>(0);
            {
                net::io_context context;
                tutti::run_on(context, world);
                const auto for_ever = world.with_deadline(std::chrono::nanoseconds::max());
                tutti::async_receive<int>(for_ever, 1, [](auto&&...) { expect(false, "a handler that is destroyed"); });
                tutti::async_wait(world.async().allreduce(x, tutti::sum),
                                  [guard](error_code) { expect(false, "a handler of a context that has ended"); });
                context.poll();
                expect(guard.use_count() == 2, "the handler waits");
            }
            expect(guard.use_count() == 1 && x[49999] == 2, "the call was waited for");
            net::io_context context;
            expect_misused(code_of(context, world.async().barrier()), "is gone");
        }
        if (world.rank() == 1) world.barrier();
        net::io_context context;
        tutti::run_on(context, world);
        expect(!code_of(context, world.async().barrier()), "another context runs it");
    });
}

TEST_CASE("what a call writes to may belong to its handler, whatever becomes of that") {
    run_networked(2, [](const world_type& world) {
        const auto owned = [] { return std::make_unique<std::vector<int>>(300000, 1); };
        {
            net::io_context context;
            tutti::run_on(context, world);
            auto x = owned(), y = owned();
            auto &to_x = *x, &to_y = *y;
            const auto others = world.duplicate();
            std::this_thread::sleep_for(world.rank() * 20ms);
            tutti::async_wait(world.async().allreduce(to_x, tutti::sum),
                              [both = std::pair(std::move(x), std::move(y))](error_code) {});
            tutti::async_wait(others.async().allreduce(to_y, tutti::sum), [](error_code) {});
        }
        auto z = owned();
        auto& to_z = *z;
        tutti::async_wait(world.async().allreduce(to_z, tutti::sum), [mine = std::move(z)](error_code) {}); // refused
        tutti::async_receive<int>(world, 1 - world.rank(), [](error_code e, auto&&...) {
            expect(e == tutti::cause::invalid_argument, "no context, so no message is taken");
        });
        const int sent = 5;
        int got = 0;
        world.sendrecv(sent, 1 - world.rank(), got, 1 - world.rank());
        expect(got == sent, "a later receive takes it");
    });
}

TEST_CASE("handlers on the library's thread run although their world has ended") {
    const reserved_port at;
    CHECK_NOTHROW(run_ranks(2, [&](int rank) {
        milestone told;
        std::atomic<int> failures = 0;
        std::vector<int> x(100, 1), y(100, 1);
        {
            const world_type world(made(network::tcp, identity(rank, 2, at)), tutti::progress::by_waiters);
            const auto others = world.duplicate();
            tutti::async_wait(world.async().allreduce(x, tutti::sum), [&](error_code e) {
                if (e) ++failures;
                told.reach();
            });
            tutti::async_wait(others.async().allreduce(y, tutti::sum), [&](error_code e) {
                if (e) ++failures;
                told.reach();
            });
        }
        told.await("both are called", 2);
        expect(failures == 0 && x[0] == 2 && y[0] == 2, "both succeed");
    }));
}

TEST_CASE("a world that ends before its context") {
    const reserved_port at;
    CHECK_NOTHROW(run_ranks(2, [&](int rank) {
        net::io_context context;
        for (int k = 0; k < 3; ++k) {
            auto world = std::make_unique<world_type>(made(network::tcp, identity(rank, 2, at)));
            tutti::run_on(context, *world);
            std::vector<int> x(1000, 1);
            auto call = world->async().allreduce(x, tutti::sum);
            if (k == 1) world.reset(); // the request keeps it
            expect(!code_of(context, std::move(call)) && x[0] == 2, "a call");
            if (k == 0) { // in a handler
                tutti::async_wait(world->async().barrier(), [&](error_code) { world.reset(); });
                context.restart();
                context.run();
                expect(!world, "its handler ends it");
            }
        }
        context.restart();
        context.run();
    }));
}

TEST_CASE("a receive that is cancelled is withdrawn, by the slot of its token") {
    using namespace net::experimental::awaitable_operators;
    run_networked(2, [](const world_type& world) {
        net::io_context context;
        tutti::run_on(context, world);
        const auto both = [](const world_type& w) -> net::awaitable<void> {
            const int other = 1 - w.rank();
            int x = 0;
            for (int k = 0; k < 3; ++k) {
                const auto first = co_await (
                    tutti::async_wait(w.async().receive(std::span(&x, 1), other), net::use_awaitable) || pause(5ms));
                expect(first.index() == 1, "the timer is first");
            }
            co_await tutti::async_wait(w.async().barrier(), net::use_awaitable);
            const int mine = w.rank() + 5;
            co_await (tutti::async_wait(w.async().send(std::span(&mine, 1), other), net::use_awaitable) &&
                      tutti::async_wait(w.async().receive(std::span(&x, 1), other), net::use_awaitable));
            expect(x == other + 5, "a later receive takes the message");
        };
        run(context, both(world));
    });
}

TEST_CASE("a receive that a message has met is not cancelled: it goes on to its end") {
    run_networked(2, [](const world_type& world) {
        net::io_context context;
        tutti::run_on(context, world);
        const int other = 1 - world.rank();
        const std::vector<int> mine(3'000'000, world.rank()); // announced, and then granted
        auto sent = world.async().send(mine, other);
        net::cancellation_signal stop;
        std::optional<error_code> told;
        std::size_t count = 0;
        const auto note = [&](error_code e, const std::vector<int>& all, int) {
            told = e;
            count = all.size();
        };
        tutti::async_receive<int>(world, other, net::bind_cancellation_slot(stop.slot(), note));
        for (const auto end = std::chrono::steady_clock::now() + patience; !told;) { // at any moment
            expect(std::chrono::steady_clock::now() < end, "it ends");
            context.restart();
            context.run_one_for(patience);
            stop.emit(net::cancellation_type::terminal);
        }
        if (*told == net::error::operation_aborted) { // before it came
            told.reset();
            tutti::async_receive<int>(world, other, note);
            context.restart();
            context.run();
        }
        expect(!*told && count == mine.size(), "all has come: " + told->message());
        sent.wait();
        world.barrier();
    });
}

TEST_CASE("a collective that is cancelled is aborted on all ranks, whose errors say by whom") {
    for (const auto by : {network::tcp, network::shared_memory, network::routed}) {
        milestone cancelled_it;
        run_networked(by, 2, [&](const world_type& world) {
            net::io_context context;
            tutti::run_on(context, world);
            std::vector<int> x(3);
            if (world.rank() == 0) {
                std::optional<error_code> told;
                net::cancellation_signal stop;
                tutti::async_wait(world.async().allreduce(x, tutti::sum),
                                  net::bind_cancellation_slot(stop.slot(), [&](error_code e) { told = e; }));
                stop.emit(net::cancellation_type::partial); // asks for more than the call can give
                context.poll();
                expect(!told, "it goes on");
                stop.emit(net::cancellation_type::terminal);
                expect(!told, "not at once");
                context.run();
                expect(told == net::error::operation_aborted, "the code");
                stop.emit(net::cancellation_type::terminal); // too late, which is harmless
                cancelled_it.reach();
            }
            cancelled_it.await("rank 0 cancels");
            const tutti::fault f = fault_of([&] {
                world.allreduce(x, tutti::sum);
                world.barrier();
            });
            expect(f.why == tutti::cause::aborted && f.peer == 0, "by whom");
            expect(f.detail.find("was cancelled") != std::string::npos, "why: " + f.detail);
        });
    }
}

TEST_CASE("a cancel that ends the last call of a world whose handles are gone") {
    const reserved_port at;
    CHECK_NOTHROW(run_ranks(2, [&](int rank) {
        net::cancellation_signal stop;
        int x = 0;
        std::promise<error_code> told;
        {
            const world_type world(made(network::tcp, identity(rank, 2, at)), tutti::progress::by_waiters);
            world.barrier();
            tutti::async_wait(world.async().receive(std::span(&x, 1), 1 - rank),
                              net::bind_cancellation_slot(stop.slot(), [&](error_code e) { told.set_value(e); }));
        }
        stop.emit(net::cancellation_type::terminal);
        auto code = told.get_future();
        expect(code.wait_for(patience) == std::future_status::ready, "the handler is called");
        expect(code.get() == net::error::operation_aborted, "the code");
    }));
}

TEST_CASE("several calls as one group") {
    run_networked(2, [](const world_type& world) {
        net::io_context context;
        tutti::run_on(context, world);
        std::vector<int> x(5000, 1), y(3, 1);
        bool over = false;
        const auto others = world.duplicate();
        net::experimental::make_parallel_group(
            tutti::async_wait(world.async().allreduce(x, tutti::sum), net::deferred),
            tutti::async_wait(others.async().allreduce(y, tutti::sum), net::deferred))
            .async_wait(net::experimental::wait_for_all(),
                        [&](std::array<std::size_t, 2>, error_code a, error_code b) { over = !a && !b; });
        context.run();
        expect(over && x[4999] == 2 && y[2] == 2, "both");
    });
}

TEST_CASE("cancelling at any moment, from any strand") {
    const unsigned seed = std::random_device{}();
    CAPTURE(seed);
    for (const auto moved : {tutti::progress::in_calls, tutti::progress::by_waiters})
        run_networked(
            2,
            [&](const world_type& world) {
                std::minstd_rand random(seed + static_cast<unsigned>(world.rank()));
                net::io_context context;
                if (moved == tutti::progress::in_calls) tutti::run_on(context, world);
                const auto trial = [&](const world_type& w) -> net::awaitable<void> {
                    const int other = 1 - w.rank();
                    for (int k = 0; k < 100; ++k) {
                        int x = 0, late = 0;
                        const auto stop = std::make_shared<std::optional<net::cancellation_signal>>(std::in_place);
                        net::steady_timer timer(co_await net::this_coro::executor,
                                                std::chrono::microseconds(random() % 200));
                        timer.async_wait([stop](error_code) {
                            if (*stop) (*stop)->emit(net::cancellation_type::terminal);
                        });
                        error_code code;
                        const int mine = k;
                        auto sent = w.async().send(std::span(&mine, 1), other, k);
                        co_await tutti::async_wait(w.async().receive(std::span(&x, 1), other, k),
                                                   net::bind_cancellation_slot(
                                                       (*stop)->slot(), net::redirect_error(net::use_awaitable, code)));
                        stop->reset();
                        expect(!code || code == net::error::operation_aborted, "a code: " + code.message());
                        if (code)
                            co_await tutti::async_wait(w.async().receive(std::span(&late, 1), other, k),
                                                       net::use_awaitable);
                        expect(x + late == k, "one receive takes the message");
                        co_await tutti::async_wait(std::move(sent), net::use_awaitable);
                    }
                };
                run(context, trial(world));
            },
            moved);
}
