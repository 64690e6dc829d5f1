// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include <transport/memory.hpp>
#include <transport/routed.hpp>
#include <transport/shared_memory.hpp>

#include "victims.hpp"

#include <sys/socket.h>
#include <sys/stat.h>

using namespace tutti;
using namespace tutti::test;

namespace {

enum class child_of_rank { sleeps, runs_a_program };

/// The number of a process that a rank has started, in memory that it shares with the test. Kills it in the end.
class shared_number {
public:
    shared_number()
        : where_(::mmap(nullptr, sizeof(number), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) {
        expect(where_ != MAP_FAILED, "memory can be shared");
        ::new (where_) number(0);
    }
    shared_number(const shared_number&) = delete;
    shared_number& operator=(const shared_number&) = delete;
    ~shared_number() {
        if (const pid_t child = get(); child > 0) ::kill(child, SIGKILL);
        ::munmap(where_, sizeof(number));
    }
    void set(pid_t child) const { static_cast<number*>(where_)->store(child, std::memory_order_release); }
    [[nodiscard]] pid_t get() const { return static_cast<number*>(where_)->load(std::memory_order_acquire); }

private:
    using number = std::atomic<pid_t>;
    void* where_;
};

int open_sockets() {
    int sockets = 0;
    struct stat what {};
    for (int fd = 0; fd < 256; ++fd) sockets += ::fstat(fd, &what) == 0 && S_ISSOCK(what.st_mode);
    return sockets;
}

/// Starts a child, which may outlive the rank.
pid_t fork_one(child_of_rank how) {
    const pid_t child = ::fork();
    expect(child >= 0, "a rank can fork");
    if (child > 0) return child;
    if (how == child_of_rank::runs_a_program) ::execlp("sleep", "sleep", "30", static_cast<char*>(nullptr));
    ::alarm(0);
    ::sleep(30);
    ::_exit(0);
}

/// Kills a rank that has a child, whose connections have all been used. The child stays.
template <class Enter>
void kill_parent(const Enter& enter, int ranks, int victim, child_of_rank how) {
    CAPTURE(ranks, victim, static_cast<int>(how));
    const shared_number child;
    const auto enter_and_fork = [&](int rank, int size, const reserved_port& at) {
        auto world = enter(rank, size, at);
        std::vector<int> data(1000, 1);
        world.allreduce(data, sum, algorithm::one_shot{});
        if (rank == victim) child.set(fork_one(how));
        return world;
    };
    kill_one(enter_and_fork, ranks, victim, 20ms, algorithm::ring{});
    CHECK(::kill(child.get(), 0) == 0);
}

template <class Enter>
void kill_parents(const Enter& enter) {
    for (const auto how : {child_of_rank::sleeps, child_of_rank::runs_a_program}) {
        kill_parent(enter, 2, 1, how);
        kill_parent(enter, 3, 0, how);
        kill_parent(enter, 3, 2, how);
    }
}

} // namespace

TEST_CASE("over TCP a killed rank is named in time although a child of its lives on") { kill_parents(over_tcp); }

TEST_CASE("over shared memory a killed rank is named in time although a child of its lives on") {
    kill_parents([](int rank, int ranks, const reserved_port& at) {
        communicator world{transport::shared_memory{identity(rank, ranks, at)}};
        world.default_deadline(deadline);
        return world;
    });
}

TEST_CASE("over two hosts a killed rank is named in time although a child of its lives on") {
    kill_parents([](int rank, int ranks, const reserved_port& at) {
        communicator world{transport::routed<transport::shared_memory, transport::tcp>{
            identity_on(2 * rank / ranks, rank, ranks, at)}};
        world.default_deadline(deadline);
        return world;
    });
}

namespace {

/// A rank's world, with all that a program may hold of one, while its calls are under way.
template <class Transport>
class holdings {
public:
    holdings(Transport t, bool by_waiters)
        : world_(by_waiters ? communicator<Transport>(std::move(t), progress::by_waiters)
                            : communicator<Transport>(std::move(t))),
          half_(world_.duplicate()), memory_(world_.template allocate<int>(1000)),
          plan_(world_.prepare().allreduce(data_, sum)), together_(world_.group()), late_(world_.async().barrier()) {
        together_.receive(letter_, 1 - world_.rank(), 7);
        sum_.emplace(world_.async().allreduce(memory_, sum));
        record_.emplace(half_.record(100));
    }

    /// Of a child: no call gets in, and each says why.
    [[nodiscard]] std::string let_in() {
        std::string all;
        const auto tries = [&](const char* name, const auto& call) {
            try {
                call();
                all += std::string(" ") + name + " passed;";
            } catch (const error& e) {
                if (e.why() == cause::invalid_argument && std::string(e.what()).find("forked") != std::string::npos)
                    return;
                all += std::string(" ") + name + ": " + e.what() + ";";
            }
        };
        int x = 100;
        tries("a barrier", [&] { world_.barrier(); });
        tries("an allreduce", [&] { world_.allreduce(std::span(&x, 1), sum); });
        tries("one of a duplicate", [&] { half_.allreduce(std::span(&x, 1), sum); });
        tries("one in symmetric memory", [&] { world_.allreduce(memory_, sum); });
        tries("one with a deadline", [&] { world_.with_deadline(100ms).allreduce(std::span(&x, 1), sum); });
        tries("a start", [&] { world_.async().allreduce(std::span(&x, 1), sum).wait(); });
        tries("a wait", [&] { sum_->wait(); });
        tries("a test", [&] { static_cast<void>(late_.test()); });
        tries("a plan", [&] { plan_.run(); });
        tries("a plan's start", [&] { plan_.start().wait(); });
        tries("a new plan", [&] { static_cast<void>(world_.prepare().broadcast(data_, 0)); });
        tries("a send", [&] { world_.send(x, 1 - world_.rank()); });
        tries("a receive", [&] { static_cast<void>(world_.template receive<int>(1 - world_.rank())); });
        tries("a group's send", [&] { together_.send(x, 1 - world_.rank()); });
        tries("a group's wait", [&] { together_.wait(); });
        tries("a split", [&] { static_cast<void>(world_.split(0)); });
        tries("memory", [&] { static_cast<void>(world_.template allocate<int>(10)); });
        tries("a recording", [&] { static_cast<void>(world_.record(10)); });
        tries("an abort", [&] { world_.abort("a child"); });
        return all;
    }

    /// Of the parent: all that is under way ends as if there were no child.
    void finish() {
        std::fill(data_.begin(), data_.end(), world_.rank() + 1);
        world_.send(world_.rank(), 1 - world_.rank(), 7);
        together_.wait();
        expect(letter_ == 1 - world_.rank(), "the message has come");
        late_.wait();
        sum_->wait();
        expect(memory_[999] == 0, "the sum of zeros");
        plan_.run();
        expect(data_[0] == 3, "the sum of both ranks");
        half_.allreduce(data_, sum);
        expect(data_[0] == 6, "the sum over the duplicate");
    }

private:
    communicator<Transport> world_, half_;
    std::vector<int> data_ = std::vector<int>(100);
    symmetric_memory<int> memory_;
    prepared<Transport> plan_;
    int letter_ = -1;
    message_group<communicator<Transport>> together_;
    request<Transport> late_;
    std::optional<request<Transport>> sum_;
    std::optional<recording<Transport>> record_;
};

/// A child of the first rank tries every call, and leaves as a program does which returns from main.
template <class Transport, class Make>
void child_of_the_first_rank(const Make& make) {
    for (const bool by_waiters : {false, true}) {
        CAPTURE(by_waiters);
        const reserved_port at;
        processes ranks(2, [&](int rank, account& mine) {
            auto own = std::make_unique<holdings<Transport>>(make(rank, at), by_waiters);
            if (rank == 0) {
                std::optional<communicator<transport::memory>> alone; // the child's, which leaves it as it is
                const auto ended = in_child([&] {
                    const auto let_in = own->let_in();
                    own.reset();
                    mine.complaint = let_in;
                    alone.emplace(transport::memory(transport::memory_world::create(1), 0));
                    alone->barrier(); // a child's own world works
                    return let_in.empty();
                });
                expect(ended.empty(), "the child was refused everywhere, and has left in good order:" +
                                          std::string(mine.complaint.str()));
                std::this_thread::sleep_for(200ms); // the other rank waits meanwhile
            }
            own->finish();
        });
        check_ended(ranks);
    }
}

} // namespace

TEST_CASE("over TCP a forked child has no part in the world, whatever it holds of it") {
    child_of_the_first_rank<transport::tcp>(
        [](int rank, const reserved_port& at) { return transport::tcp(identity(rank, 2, at)); });
}

TEST_CASE("over shared memory a forked child has no part in the world, whatever it holds of it") {
    child_of_the_first_rank<transport::shared_memory>(
        [](int rank, const reserved_port& at) { return transport::shared_memory(identity(rank, 2, at)); });
}

TEST_CASE("over both a forked child has no part in the world, whatever it holds of it") {
    using both = transport::routed<transport::shared_memory, transport::tcp>;
    child_of_the_first_rank<both>([](int rank, const reserved_port& at) { return both(identity(rank, 2, at)); });
}

namespace {

/// Why a call is refused in a child; else what it did.
template <class Call>
std::string refused_in_child(const Call& call) {
    try {
        call();
        return "passed";
    } catch (const error& e) {
        const bool is_told = std::string(e.what()).find("forked") != std::string::npos;
        return e.why() == cause::invalid_argument && is_told ? "" : e.what();
    }
}

/// A child of the first rank has a transport of which no communicator was made yet.
template <class Transport>
void child_with_a_bare_transport() {
    const reserved_port at;
    processes ranks(2, [&](int rank, account& mine) {
        auto own = Transport(identity(rank, 2, at));
        const auto bare = [&] {
            const transport::context k{77, 0};
            auto all = refused_in_child([&] { static_cast<void>(own.open(k, 1)); }) +
                       refused_in_child([&] { static_cast<void>(own.leave(transport::clock::now())); }) +
                       refused_in_child([&] { own.tell({}); });
            if constexpr (Transport::allocates) all += refused_in_child([&] { static_cast<void>(own.allocate(8)); });
            mine.complaint = all += refused_in_child([&] {
                const communicator world(std::move(own), progress::by_waiters);
                int x = 100;
                world.with_deadline(1s).allreduce(std::span(&x, 1), sum);
            });
            return all.empty();
        };
        if (rank == 0) expect(in_child(bare).empty(), "the child was refused: " + std::string(mine.complaint.str()));
        const communicator world(std::move(own));
        int x = rank + 1;
        world.allreduce(std::span(&x, 1), sum);
        expect(x == 3, "the sum of both ranks, 1 + 2");
    });
    check_ended(ranks);
}

} // namespace

TEST_CASE("a forked child makes no communicator of a transport of its parent's") {
    child_with_a_bare_transport<transport::tcp>();
    child_with_a_bare_transport<transport::shared_memory>();
    child_with_a_bare_transport<transport::routed<transport::shared_memory, transport::tcp>>();
}

TEST_CASE("a forked child makes no communicator of its parent's transport that a transport::any holds") {
    processes alone(1, [](int, account&) {
        transport::any held(transport::memory(transport::memory_world::create(1), 0));
        const auto refused = [&] {
            return refused_in_child([&] { const communicator none(std::move(held)); }).empty();
        };
        expect(in_child(refused).empty(), "the child was refused");
        expect(communicator(std::move(held)).allreduce(1, sum) == 1, "the parent was not");
    });
    check_ended(alone);
}

TEST_CASE("a forked child leaves its parent's places in memory as they are, whoever held their locks") {
    processes alone(1, [](int, account&) { // its threads are no other test's
        const auto world = transport::memory_world::create(2);
        transport::memory mine(world, 0), other(world, 1);
        std::atomic<bool> is_over{false}; // set by this thread, read by the other, which is joined after that: relaxed
        std::thread beside([&] {
            while (!is_over.load(std::memory_order_relaxed)) {
                static_cast<void>(other.open({5, 0}, 0));
                other.close({5, 0});
            }
        });
        std::string ended;
        for (int i = 0; i < 300 && ended.empty(); ++i)
            ended = in_child([&] {
                if (!refused_in_child([&] { static_cast<void>(mine.open({5, 0}, 1)); }).empty()) return false;
                if (!refused_in_child([&] { const communicator none(std::move(mine)); }).empty()) return false;
                const auto own = transport::memory_world::create(1);
                mine = transport::memory(own, 0); // destroys what was there, and is this process's
                mine.require_own();
                return true;
            });
        is_over.store(true, std::memory_order_relaxed);
        beside.join();
        expect(ended.empty(), "each child has left: " + ended);
    });
    check_ended(alone);
}

TEST_CASE("a child keeps its parent's own sockets, but none of the library's, and the parent's still work") {
    const reserved_port at;
    processes ranks(2, [&](int rank, account&) {
        const int of_test = open_sockets();
        const int own = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        const auto world = join(rank, 2, at);
        int x = 1;
        world.allreduce(std::span(&x, 1), sum);
        const int later = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        const auto ended = in_child([&] { return open_sockets() == of_test + 2; });
        ::close(own);
        ::close(later);
        expect(ended.empty(), "the child has the sockets that are not the library's, and only these");
        world.allreduce(std::span(&x, 1), sum);
        expect(x == 4, "the parent's connections work after a fork");
    });
    check_ended(ranks);
}
