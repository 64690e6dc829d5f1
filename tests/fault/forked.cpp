// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

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

/// A child that leaves as a program does which returns from main: its copies of the world are destroyed.
template <class Enter>
void child_leaves(const Enter& enter) {
    const reserved_port at;
    processes ranks(2, [&](int rank, account&) {
        auto world = std::make_unique<decltype(enter(0, 2, at))>(enter(rank, 2, at));
        std::vector<int> data(1000, 1);
        world->allreduce(data, sum);
        if (rank == 0) {
            const pid_t child = ::fork();
            if (child == 0) {
                world.reset();
                ::_exit(0);
            }
            int status = -1;
            ::waitpid(child, &status, 0);
            expect(status == 0, "the child has left in good order");
            std::this_thread::sleep_for(1s); // the other rank waits meanwhile
        }
        world->allreduce(data, sum);
        expect(data == std::vector<int>(1000, 4), "the parent's world goes on without its child");
    });
    check_ended(ranks);
}

} // namespace

TEST_CASE("a child that destroys its copy of the world says nothing to the parent's peers") {
    child_leaves(over_tcp);
    child_leaves([](int rank, int ranks, const reserved_port& at) {
        return communicator{transport::shared_memory{identity(rank, ranks, at)}};
    });
    child_leaves([](int rank, int ranks, const reserved_port& at) {
        return communicator{transport::routed<transport::shared_memory, transport::tcp>{identity(rank, ranks, at)}};
    });
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
        const pid_t child = ::fork();
        if (child == 0) ::_exit(open_sockets() - of_test);
        int status = -1;
        ::waitpid(child, &status, 0);
        ::close(own);
        ::close(later);
        expect(WIFEXITED(status) && WEXITSTATUS(status) == 2,
               "the child has the sockets that are not the library's, and only these");
        world.allreduce(std::span(&x, 1), sum);
        expect(x == 4, "the parent's connections work after a fork");
    });
    check_ended(ranks);
}
