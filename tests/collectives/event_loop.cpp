// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include "support/event_loop.hpp"
#include "support/networked.hpp"
#include "support/world.hpp"

#include <algorithm>
#include <deque>
#include <functional>
#include <random>
#include <span>
#include <thread>

using namespace tutti::test;
namespace transport = tutti::transport;

namespace {

using world_type = tutti::any_communicator;

/// Some calls, as a seed draws them, each with what it must give. All ranks draw the same.
class drawn_calls {
public:
    drawn_calls(const world_type& world, unsigned seed) : world_(world), random_(seed) {}

    /// Starts one, whose result is looked at once it is over, after which another one may begin.
    void start(tutti::completion_queue& queue, int more) {
        const std::size_t count = std::size_t{1} << random_() % 18;
        const int size = world_.size(), rank = world_.rank(), root = static_cast<int>(random_()) & 1;
        data_.emplace_back(count, rank);
        std::vector<int>& data = data_.back();
        ++under_way_;
        const auto gives = [&, more](int wanted) {
            return [this, &data, &queue, more, wanted] {
                expect(data.front() == wanted && data.back() == wanted, "what the call gives");
                --under_way_;
                if (more > 0) start(queue, more - 1);
            };
        };
        switch (random_() % 3) {
        case 0: return world_.async().allreduce(data, tutti::sum).then(queue, gives(size * (size - 1) / 2));
        case 1: return world_.async().broadcast(data, root).then(queue, gives(root));
        default:
            sent_.emplace_back(count, rank);
            queue.add(world_.async().send(sent_.back(), (rank + 1) % size), [] {});
            return queue.add(world_.async().receive(data, (rank + size - 1) % size), gives((rank + size - 1) % size));
        }
    }
    [[nodiscard]] bool over() const noexcept { return under_way_ == 0; }

private:
    const world_type world_;
    std::minstd_rand random_;
    std::deque<std::vector<int>> data_, sent_;
    int under_way_ = 0;
};

} // namespace

TEST_CASE("an event loop is woken by all that its world's calls wait for") {
    const unsigned seed = std::random_device{}();
    CAPTURE(seed);
    for (const int ranks : {2, 3})
        run_networked(ranks, [seed](const world_type& world) {
            tutti::completion_queue queue(world);
            event_loop loop(world, queue);
            loop.by_descriptor_alone();
            // On communicators of their own, since functions of one start calls in the order in which they end.
            std::deque<drawn_calls> all;
            for (unsigned k = 0; k < 3; ++k) all.emplace_back(world.duplicate(), seed + k).start(queue, 40);
            loop.run_until([&] { return std::all_of(all.begin(), all.end(), [](auto& c) { return c.over(); }); },
                           "drawn calls");
            world.barrier(); // a blocking call works meanwhile
        });
}

TEST_CASE("so it is while another thread of its rank calls and waits") {
    const unsigned seed = std::random_device{}();
    CAPTURE(seed);
    run_networked(
        2,
        [seed](const world_type& world) {
            tutti::completion_queue queue(world);
            event_loop loop(world, queue);
            loop.by_descriptor_alone();
            drawn_calls calls(world.duplicate(), seed);
            const auto others = world.duplicate();
            bool right = true;
            std::thread other([&] {
                try {
                    for (int k = 0; k < 100; ++k) right = right && others.allreduce(k, tutti::sum) == 2 * k;
                } catch (const std::exception&) {
                    right = false;
                }
            });
            std::string failure;
            try {
                calls.start(queue, 60);
                loop.run_until([&] { return calls.over(); }, "beside a thread");
            } catch (const std::exception& e) {
                failure = e.what();
                others.abort(failure);
            }
            other.join();
            expect(failure.empty() && right, failure);
        },
        tutti::progress::by_waiters);
}

TEST_CASE("beside a thread that waits for long an event loop sleeps") {
    run_networked(
        2,
        [](const world_type& world) {
            using namespace std::chrono_literals;
            const auto others = world.duplicate();
            pollfd waits{world.descriptor(), POLLIN, 0};
            std::vector<int> data(10, world.rank());
            if (world.rank() == 1) {
                std::this_thread::sleep_for(100ms);
                world.send(data, 0);
                std::this_thread::sleep_for(200ms);
                return others.barrier();
            }
            auto r = world.async().receive(data, 1);
            while (world.step()) {
            }
            std::thread blocked([&] { others.barrier(); });
            int steps = 0;
            for (const auto end = transport::clock::now() + 250ms; transport::clock::now() < end; ++steps) {
                ::poll(&waits, 1, 10);
                while (world.step()) {
                }
            }
            blocked.join();
            r.wait();
            expect(data[0] == 1, "the message");
            expect(steps < 200, "the loop sleeps"); // some 25 times until its time is up
        },
        tutti::progress::by_waiters);
}

TEST_CASE("an event loop hears of an abort, and sleeps for long when nothing goes on") {
    run_networked(2, [](const world_type& world) {
        tutti::completion_queue queue(world);
        event_loop loop(world, queue);
        std::vector<int> data(100, 1);
        bool ended = false;
        if (world.rank() == 1) {
            world.receive(std::span(data), 0); // when rank 0 waits
            return world.abort("enough");
        }
        queue.add(world.async().allreduce(data, tutti::sum), [&](std::exception_ptr failed) {
            ended = true;
            const auto f = fault_of([&] { std::rethrow_exception(failed); });
            expect(f.why == tutti::cause::aborted && f.detail.find("enough") != std::string::npos, f.detail);
        });
        const std::vector<int> zeros(100);
        queue.add(world.async().send(zeros, 1), [](std::exception_ptr) {});
        loop.run_until([&] { return ended && queue.size() == 0; }, "the abort");
        while (world.step()) {
        }
        expect(world.next_deadline() > transport::clock::now() + std::chrono::seconds(1), "nothing is due");
    });
}

TEST_CASE("a call that is made while the loop sleeps makes the descriptor readable") {
    run_networked(network::shared_memory, 1, [](const world_type& world) { // no other rank does so
        pollfd waits{world.descriptor(), POLLIN, 0};
        expect(waits.fd == world.duplicate().descriptor(), "a world has one");
        const auto is_readable = [&] { return ::poll(&waits, 1, 0) == 1; };
        while (world.step()) {
        }
        expect(!is_readable(), "nothing is to be done");
        world.barrier();
        expect(is_readable(), "the loop is to step again");
        while (world.step()) {
        }
        expect(!is_readable(), "it has");
    });
}

TEST_CASE("a transport whose ranks are woken by no descriptor says so, and can be stepped") {
    run_world(2, [](communicator& world) {
        const auto f = fault_of([&] { static_cast<void>(world.descriptor()); });
        expect(f.why == tutti::cause::invalid_argument && f.remedy.find("step()") != std::string::npos, f.detail);
        std::vector<int> data(50'000, 1);
        auto r = world.async().allreduce(data, tutti::sum);
        while (!r.is_over()) expect(world.step() || r.is_over(), "a call is under way");
        r.wait();
        expect(data[49'999] == 2 && !world.step(), "the result");
    });
}

TEST_CASE("who receives from any rank is connected to all, over each network") {
    for (const auto by : {network::tcp, network::shared_memory, network::routed}) {
        const reserved_port at;
        CHECK_NOTHROW(run_ranks(4, [&](int rank) {
            const world_type world(made(by, identity(rank, 4, at)), tutti::progress::in_calls);
            constexpr int each = 20, server = 2;
            std::vector<int> count(4);
            if (rank == server)
                for (int k = 0; k < 3 * each; ++k) {
                    int source = -1;
                    const auto got = world.receive<int>(tutti::any_rank, 1, &source);
                    const int turn = count[static_cast<std::size_t>(source)]++;
                    expect(got.back() == turn, "its next message");
                    world.send(turn, source, 2);
                }
            for (int k = 0, answer = -1; rank != server && k < each; ++k) {
                world.send(std::vector<int>(std::size_t{1} << k % 16, k), server, 1);
                world.receive(answer, server, 2);
                expect(answer == k, "the answer");
            }
            world.barrier();
        }));
    }
}

TEST_CASE("a loop that asks whether a call is over waits for it, as others are told") {
    run_networked(network::tcp, 3, [](const world_type& world) {
        const auto part = world.split(world.rank() == 0 ? 0 : 1);
        if (world.rank() == 0) {
            const auto f = fault_of([&] { world.with_deadline(std::chrono::milliseconds(300)).barrier(); });
            expect(f.peer == 2, "rank 2 holds rank 1 up: " + f.detail);
        } else if (world.rank() == 1) {
            auto call = part.async().barrier();
            while (!call.is_over())
                if (!world.step()) std::this_thread::yield();
            call.wait();
        } else {
            std::this_thread::sleep_for(std::chrono::milliseconds(1500));
            part.barrier();
        }
    });
}
