// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/asio.hpp>

#include "coroutines.hpp"
#include "support/milestone.hpp"
#include "support/networked.hpp"
#include "support/world.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>

#include <atomic>
#include <chrono>
#include <deque>
#include <exception>
#include <memory>
#include <random>
#include <thread>
#include <utility>
#include <vector>

using namespace tutti::test;
namespace net = boost::asio;
using boost::system::error_code;

namespace {

using world_type = tutti::any_communicator;

/// One of some calls, as a seed draws them; all ranks draw the same. It looks at its result itself.
class drawn_call {
public:
    drawn_call(const world_type& world, std::minstd_rand& random)
        : world_(world), data_(std::size_t{1} << random() % 17, world.rank()), kind_(random() % 3),
          root_(static_cast<int>(random() % 2) % world.size()) {}

    [[nodiscard]] auto start() {
        switch (kind_) {
        case 0: return world_.async().allreduce(data_, tutti::sum);
        case 1: return world_.async().broadcast(data_, root_);
        default: return world_.async().allreduce(data_, tutti::maximum, tutti::algorithm::ring{});
        }
    }
    void check() const {
        const int size = world_.size();
        const int wanted = kind_ == 0 ? size * (size - 1) / 2 : kind_ == 1 ? root_ : size - 1;
        expect(data_.front() == wanted && data_.back() == wanted, "what the call gives");
    }

private:
    const world_type world_;
    std::vector<int> data_;
    unsigned long kind_;
    int root_;
};

/// Calls on a communicator of its own, one after the other, each awaited by a token that each rank draws for itself.
net::awaitable<void> await_by_any_token(world_type world, unsigned seed, int calls) {
    std::minstd_rand same(seed), own(seed + static_cast<unsigned>(world.rank()));
    for (int k = 0; k < calls; ++k) {
        drawn_call call(world, same);
        switch (own() % 4) {
        case 0: co_await tutti::async_wait(call.start(), net::use_awaitable); break;
        case 1: co_await tutti::async_wait(call.start(), net::deferred)(net::use_awaitable); break;
        case 2: {
            auto begun = call.start();
            co_await net::post(net::use_awaitable);
            co_await tutti::async_wait(std::move(begun), net::use_awaitable);
            break;
        }
        default: {
            net::steady_timer told(co_await net::this_coro::executor, net::steady_timer::time_point::max());
            error_code failed = net::error::would_block;
            tutti::async_wait(call.start(), net::bind_executor(told.get_executor(), [&](error_code e) {
                                  failed = e;
                                  told.cancel();
                              }));
            expect(failed == net::error::would_block, "no handler is called before async_wait has returned");
            error_code cancelled;
            co_await told.async_wait(net::redirect_error(net::use_awaitable, cancelled));
            expect(!failed, "the call succeeds");
        }
        }
        call.check();
    }
}

/// Counts what it gives and takes.
template <class T>
struct counting {
    using value_type = T;
    explicit counting(std::shared_ptr<int> c) : count(std::move(c)) {}
    template <class Other>
    counting(const counting<Other>& o) : count(o.count) {}
    T* allocate(std::size_t n) {
        ++*count;
        return std::allocator<T>().allocate(n);
    }
    void deallocate(T* p, std::size_t n) {
        --*count;
        std::allocator<T>().deallocate(p, n);
    }
    friend bool operator==(const counting&, const counting&) = default;
    std::shared_ptr<int> count;
};
struct counted_handler {
    using allocator_type = counting<char>;
    std::shared_ptr<int> count;
    int* of_library;
    [[nodiscard]] allocator_type get_allocator() const { return allocator_type(count); }
    void operator()(error_code) const { *of_library = *count; }
};

} // namespace

TEST_CASE("calls are awaited by any token, several at once") {
    const unsigned seed = std::random_device{}();
    CAPTURE(seed);
    for (const int ranks : {1, 2, 3})
        run_networked(ranks, [&](const world_type& world) {
            net::io_context context;
            tutti::run_on(context, world);
            const auto all = [](world_type w, unsigned from) -> net::awaitable<void> {
                std::atomic<int> open = 3;
                std::exception_ptr failed;
                net::steady_timer over(co_await net::this_coro::executor, net::steady_timer::time_point::max());
                for (unsigned k = 0; k < 3; ++k)
                    net::co_spawn(over.get_executor(), await_by_any_token(w.duplicate(), from + k, 25),
                                  [&](std::exception_ptr e) {
                                      if (e) failed = e;
                                      if (--open == 0) over.cancel();
                                  });
                error_code cancelled;
                co_await over.async_wait(net::redirect_error(net::use_awaitable, cancelled));
                if (failed) std::rethrow_exception(failed);
            };
            run(context, all(world, seed));
            world.barrier(); // a blocking call works, with the context or without
        });
}

TEST_CASE("several threads run a context, and handlers their strands") {
    const unsigned seed = std::random_device{}();
    CAPTURE(seed);
    run_networked(
        2,
        [&](const world_type& world) {
            net::io_context context;
            tutti::run_on(context, world);
            std::deque<std::exception_ptr> failures(3);
            for (unsigned k = 0; k < 3; ++k)
                net::co_spawn(net::make_strand(context), await_by_any_token(world.duplicate(), seed + k, 20),
                              [&, k](std::exception_ptr e) { failures[k] = e; });
            std::vector<std::thread> threads;
            for (int k = 0; k < 3; ++k) threads.emplace_back([&] { context.run(); });
            for (auto& t : threads) t.join();
            for (const auto& f : failures)
                if (f) std::rethrow_exception(f);
        },
        tutti::progress::by_waiters);
}

TEST_CASE("without run_on a thread of the library's runs a world whose calls any thread makes") {
    const unsigned seed = std::random_device{}();
    CAPTURE(seed);
    run_networked(
        2,
        [&](const world_type& world) {
            std::vector<int> x(1000, world.rank());
            tutti::async_wait(world.async().allreduce(x, tutti::sum), net::use_future).get();
            expect(x[999] == 1, "a future has the result");
            net::thread_pool pool(2), other(1);
            std::deque<std::exception_ptr> failures(2);
            for (unsigned k = 0; k < 2; ++k)
                net::co_spawn(net::make_strand(k == 0 ? pool : other),
                              await_by_any_token(world.duplicate(), seed + k, 20),
                              [&, k](std::exception_ptr e) { failures[k] = e; });
            pool.join(), other.join();
            for (const auto& f : failures)
                if (f) std::rethrow_exception(f);
            std::thread::id at;
            milestone told;
            tutti::async_wait(world.async().barrier(), [&](error_code e) {
                expect(!e, "the barrier succeeds");
                at = std::this_thread::get_id();
                told.reach();
            });
            told.await("the handler is called");
            expect(at != std::this_thread::get_id(), "a handler without an executor runs on that thread");
        },
        tutti::progress::by_waiters);
}

TEST_CASE("a server of requests of any length, from any rank") {
    run_networked(3, [](const world_type& world) {
        net::io_context context;
        tutti::run_on(context, world);
        //! [asio]
        const auto serve = [](const world_type& w) -> net::awaitable<void> {
            for (int open = w.size() - 1; open > 0;) {
                auto [asked, from] = co_await tutti::async_receive<int>(w, tutti::any_rank, 7, net::use_awaitable);
                if (asked.empty()) --open;
                for (int& x : asked) x *= x;
                co_await tutti::async_wait(w.async().send(asked, from), net::use_awaitable);
            }
        };
        //! [asio]
        const auto ask = [](const world_type& w) -> net::awaitable<void> {
            for (std::size_t n : {3u, 100u, 70000u, 1u, 0u}) {
                std::vector<int> all(n, w.rank() + 1);
                co_await tutti::async_wait(w.async().send(all, 0, 7), net::use_awaitable);
                const auto [answer, from] = co_await tutti::async_receive<int>(w, 0, net::use_awaitable);
                const int square = (w.rank() + 1) * (w.rank() + 1);
                expect(answer == std::vector<int>(n, square) && from == 0, "the answer");
            }
        };
        run(context, world.rank() == 0 ? serve(world) : ask(world));
    });
}

TEST_CASE("a context ends though its world lives, and calls that nobody awaits move in it") {
    run_networked(2, [](const world_type& world) {
        net::io_context context;
        tutti::run_on(context, world);
        context.run(); // returns
        std::vector<int> x(100000, world.rank());
        auto call = world.async().allreduce(x, tutti::sum);
        const auto watch = [](const tutti::request<tutti::transport::any>& c) -> net::awaitable<void> {
            net::steady_timer timer(co_await net::this_coro::executor);
            for (int k = 0; !c.is_over(); ++k) {
                expect(k < 30000, "the call moves");
                timer.expires_after(std::chrono::milliseconds(1));
                co_await timer.async_wait(net::use_awaitable);
            }
        };
        run(context, watch(call));
        call.wait();
        expect(x[7] == 1, "its result");
        world.barrier();
    });
}

TEST_CASE("an operation lies in memory of its handler's allocator, which it gives back before the handler runs") {
    run_networked(network::shared_memory, 2, [](const world_type& world) {
        net::io_context context;
        tutti::run_on(context, world);
        const auto count = std::make_shared<int>(0);
        int of_library = -1;
        tutti::async_wait(world.async().barrier(), counted_handler{count, &of_library});
        expect(*count == 1, "one allocation");
        context.run();
        expect(of_library == 0 && *count == 0, "all is given back");
    });
}

TEST_CASE("a handler that throws ends run(), which may go on") {
    run_networked(network::tcp, 2, [](const world_type& world) {
        net::io_context context;
        tutti::run_on(context, world);
        int told = 0;
        const auto others = world.duplicate();
        tutti::async_wait(world.async().barrier(), [&](error_code) { throw ++told; });
        tutti::async_wait(others.async().barrier(), [&](error_code) { throw ++told; });
        for (int k = 1; k <= 2; ++k) {
            try {
                context.run();
                expect(false, "run() throws");
            } catch (int which) {
                expect(which == k, "what the handler has thrown");
            }
        }
        context.run();
        world.barrier();
    });
}
