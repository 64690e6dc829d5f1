// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/engine/driver.hpp>

#include <collectives/collectives.hpp>

#include "support/catch.hpp"
#include "support/expect.hpp"

#include <time.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <thread>
#include <vector>

using namespace tutti::test;
namespace transport = tutti::transport;

namespace {

/// What the peer has let through, and how often the rank has looked for it.
struct gateway {
    bool open = false;
    std::size_t looks = 0, fetches = 0;
    std::deque<transport::notice> news; ///< from the coordinator
    std::vector<transport::notice> told;
    std::vector<std::uint64_t> communicators; ///< in the order of their first calls
};

/// Rank 0 of two. Sends are over at once; receives wait in their channel until the gateway is open.
class gated {
public:
    struct channel {
        transport::transfer_queue waiting;
    };
    static constexpr transport::medium near = transport::medium::memory, far = near;

    explicit gated(gateway& g) : gate_(&g) {}
    [[nodiscard]] int rank() const noexcept { return 0; }
    [[nodiscard]] int size() const noexcept { return 2; }
    [[nodiscard]] int node(int) const noexcept { return 0; }
    [[nodiscard]] bool crowded() const noexcept { return false; }
    channel& open(transport::context k, int) {
        auto& all = gate_->communicators;
        if (std::find(all.begin(), all.end(), k.communicator) == all.end()) all.push_back(k.communicator);
        return channels_[k.slot];
    }
    void send(channel&, transport::transfer& x) noexcept { transport::complete(x); }
    void receive(channel& c, transport::transfer& x) noexcept { c.waiting.push(x); }
    bool progress() noexcept {
        ++gate_->looks;
        bool moved = false;
        for (channel& c : channels_)
            while (gate_->open && !c.waiting.empty()) {
                transport::complete(*c.waiting.pop());
                moved = true;
            }
        return moved;
    }
    void wait(transport::clock::time_point) noexcept {}
    void wake() noexcept {}
    void close(transport::context k) noexcept {
        if (k.slot < channels_.size()) channels_[k.slot].waiting.clear(); // else a context that was never opened
    }
    void tell(const transport::notice& n) { gate_->told.push_back(n); }
    [[nodiscard]] bool fetch(transport::notice& n) {
        ++gate_->fetches;
        if (gate_->news.empty()) return false;
        n = std::move(gate_->news.front());
        gate_->news.pop_front();
        return true;
    }
    [[nodiscard]] std::optional<std::string> broken(int) { return {}; }
    [[nodiscard]] transport::peer_name name_of(int) const { return {}; }

private:
    gateway* gate_;
    std::array<channel, 4> channels_{};
};

using world = tutti::communicator<gated>;

std::vector<tutti::request<gated>> started(const world& w, std::vector<int>& data) {
    std::vector<tutti::request<gated>> requests;
    requests.reserve(data.size());
    for (int& x : data)
        requests.push_back(w.async().allreduce(std::span(&x, 1), tutti::maximum, tutti::algorithm::butterfly{}));
    return requests;
}

double processor_time_s() {
    timespec t{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// Of starting so many, testing each once while none can end, and waiting for all. The shortest of several.
double work_s(std::size_t number) {
    double least = 1e9;
    for (int round = 0; round < 5; ++round) {
        gateway g;
        const world w{gated{g}};
        std::vector<int> data(number);
        const double before = processor_time_s();
        auto requests = started(w, data);
        for (auto& r : requests) expect(!r.test(), "none can end yet");
        g.open = true;
        wait_all(requests);
        least = std::min(least, processor_time_s() - before);
    }
    return least;
}

} // namespace

TEST_CASE("a start or a test costs one look at the messages, and the control plane is asked once a tick at most") {
    constexpr std::size_t number = 500;
    gateway g;
    const world w{gated{g}};
    std::vector<int> data(number);
    const auto start = std::chrono::steady_clock::now();
    auto requests = started(w, data);
    for (auto& r : requests) CHECK_FALSE(r.test());
    const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - start;
    CHECK(g.looks <= 2 * number);
    CHECK(static_cast<double>(g.fetches) <= 2 * taken.count() + 10); // ticks are a millisecond apart, or more
    g.open = true;
    g.looks = 0;
    for (auto& r : requests) CHECK(r.test());
    CHECK(g.looks <= number);
}

TEST_CASE("the work of a request does not grow with the number of those that wait before it") {
    const double few = work_s(1000), many = work_s(8000);
    INFO(few << " s for 1,000 requests, " << many << " s for 8,000");
    CHECK(many < 30 * few); // 8 times as many; in proportion to the square it would be 64 times the work
}

TEST_CASE("two questions about calls that are still to come are both answered when they come") {
    gateway g;
    const world w{gated{g}};
    const auto twin = w.duplicate();
    std::vector<int> data(4, 1);
    std::vector<tutti::request<gated>> requests;
    const auto call = [&](const world& on, std::size_t k) {
        std::this_thread::sleep_for(std::chrono::milliseconds(15)); // news are looked for once a tick at most
        requests.push_back(on.async().allreduce(std::span(&data[k], 1), tutti::maximum, tutti::algorithm::butterfly{}));
    };
    call(w, 0);
    call(twin, 1);
    REQUIRE(g.communicators.size() == 2);
    for (const auto id : g.communicators) {
        transport::notice n;
        n.kind = transport::notice_kind::inquiry;
        n.why = tutti::cause::mismatch;
        n.communicator = id;
        n.request = 1;
        g.news.push_back(n);
    }
    call(w, 2);
    call(twin, 3);
    for (const auto id : g.communicators) {
        const auto about = [&](const transport::notice& n) {
            return n.kind == transport::notice_kind::waiting && n.communicator == id && n.request == 1;
        };
        CHECK(std::count_if(g.told.begin(), g.told.end(), about) == 1);
    }
    g.open = true;
    wait_all(requests);
}
