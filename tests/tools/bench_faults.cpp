// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "command.hpp"

#include "support/catch.hpp"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <thread>

#include <fcntl.h>
#include <unistd.h>

using Catch::Contains;
using namespace std::chrono_literals;

namespace {

constexpr int ranks = 4;

std::string contents(const std::string& path) {
    std::ifstream in{path, std::ios::binary};
    return {std::istreambuf_iterator<char>{in}, {}};
}

/// A bench on four ranks that would go on for minutes, with what it prints in a file.
class long_bench {
public:
    explicit long_bench(const std::string& deadline_s, const char* transport = "tcp") {
        const char* const program = std::getenv("TUTTI_COMMAND");
        if (!program) throw std::runtime_error("TUTTI_COMMAND must name the tutti command");
        char name[] = "/tmp/tutti-faults-XXXXXX";
        const int file = mkstemp(name);
        path_ = name;
        pid_ = fork();
        if (pid_ < 0) throw std::runtime_error("cannot start a process");
        if (pid_ == 0) {
            dup2(file, STDOUT_FILENO);
            dup2(file, STDERR_FILENO);
            unsetenv("TUTTI_RANK");
            std::signal(SIGHUP, SIG_DFL); // nohup has the test ignore it
            execl(program, program, "bench", "--ranks", "4", "--transport", transport, "-b", "64K", "-e", "4M", "-i",
                  "1K", "-n", "20", "--algorithm", "ring", "--deadline", deadline_s.c_str(),
                  static_cast<char*>(nullptr));
            _exit(127);
        }
        close(file);
    }
    long_bench(const long_bench&) = delete;
    ~long_bench() {
        if (pid_ > 0) {
            kill(pid_, SIGKILL);
            waitpid(pid_, nullptr, 0);
        }
        std::remove(path_.c_str());
    }

    /// Sends a signal to a rank, once it has appeared. False if it never did: then nothing is sent to anybody.
    [[nodiscard]] bool signal(int rank, int number) const {
        const pid_t pid = process_of(rank);
        return pid > 1 && kill(pid, number) == 0;
    }
    [[nodiscard]] pid_t process_of(int rank) const {
        for (int i = 0; i < 500; ++i, std::this_thread::sleep_for(10ms))
            for (const auto& entry : std::filesystem::directory_iterator{"/proc"})
                if (const pid_t pid = std::atoi(entry.path().filename().c_str()); pid > 0 && is_rank(pid, rank))
                    return pid;
        return -1;
    }
    void interrupt(int number) const { kill(pid_, number); }
    /// The first row shows that all have met.
    void wait_for_measuring() const {
        for (int i = 0; i < 500 && printed().find(" ring\n") == std::string::npos; ++i)
            std::this_thread::sleep_for(10ms);
    }
    /// The exit status; none if it does not end in time.
    [[nodiscard]] std::optional<int> status_within(std::chrono::milliseconds limit) {
        const auto until = std::chrono::steady_clock::now() + limit;
        int status = 0;
        while (waitpid(pid_, &status, WNOHANG) == 0) {
            if (std::chrono::steady_clock::now() > until) return std::nullopt;
            std::this_thread::sleep_for(5ms);
        }
        pid_ = -1;
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    [[nodiscard]] std::string printed() const { return contents(path_); }
    /// What a rank said, maybe together with others: "[0] tutti: ...", "[0-1,3] tutti: ...".
    [[nodiscard]] std::string said_by(int rank) const {
        std::istringstream lines(printed());
        for (std::string line; std::getline(lines, line);) {
            const std::size_t end = line.find("] tutti: ");
            if (line.starts_with('[') && end != line.npos && is_among(rank, line.substr(1, end - 1))) return line;
        }
        return {};
    }

private:
    static bool is_among(int rank, const std::string& spans) {
        std::istringstream all(spans);
        for (std::string span; std::getline(all, span, ',');) {
            const int first = std::stoi(span), last = std::stoi(span.substr(span.find('-') + 1));
            if (first <= rank && rank <= last) return true;
        }
        return false;
    }

    [[nodiscard]] bool is_rank(pid_t pid, int rank) const {
        const std::string where = "/proc/" + std::to_string(pid);
        std::ifstream stat{where + "/stat"};
        std::string number, name, state;
        pid_t parent = 0;
        stat >> number >> name >> state >> parent;
        const std::string wanted = "TUTTI_RANK=" + std::to_string(rank);
        return parent == pid_ && contents(where + "/environ").find(wanted + '\0') != std::string::npos;
    }

    std::string path_;
    pid_t pid_ = -1;
};

void check_others_name(const long_bench& b, int culprit) {
    INFO(b.printed());
    for (int rank = 0; rank < ranks; ++rank)
        if (rank != culprit) CHECK_THAT(b.said_by(rank), Contains("rank " + std::to_string(culprit)));
}

} // namespace

TEST_CASE("when a rank is killed in mid-bench, every other rank names it at once") {
    for (int victim = 0; victim < ranks; ++victim)
        for (auto delay : {0ms, 7ms, 31ms}) {
            long_bench b{"20"};
            b.wait_for_measuring();
            std::this_thread::sleep_for(delay);
            REQUIRE(b.signal(victim, SIGKILL));
            CHECK(b.status_within(5s) == 1);
            check_others_name(b, victim);
            CHECK_THAT(b.printed(), Contains("rank " + std::to_string(victim) + " was ended by signal 9 (SIGKILL)"));
        }
}

TEST_CASE("when a rank is killed before all have met, every other rank names it within the deadline and a second") {
    for (auto delay : {0ms, 3ms, 9ms}) {
        long_bench b{"2"};
        REQUIRE(b.process_of(2) > 1);
        std::this_thread::sleep_for(delay);
        REQUIRE(b.signal(2, SIGKILL));
        CHECK(b.status_within(8s) == 1);
        check_others_name(b, 2);
        CHECK_THAT(b.printed(), Contains("rank 2 was ended by signal 9 (SIGKILL)"));
    }
}

TEST_CASE("when a rank stops, every other rank names it within the deadline and a second") {
    for (int victim : {0, 2}) {
        long_bench b{"1"};
        b.wait_for_measuring();
        REQUIRE(b.signal(victim, SIGSTOP));
        const auto start = std::chrono::steady_clock::now();
        const auto all_said = [&] {
            for (int rank = 0; rank < ranks; ++rank)
                if (rank != victim && b.said_by(rank).empty()) return false;
            return true;
        };
        while (!all_said() && std::chrono::steady_clock::now() - start < 10s) std::this_thread::sleep_for(10ms);
        // A deadline and a second in the bench's own meeting, as much in a call, and what a busy machine adds.
        CHECK(std::chrono::steady_clock::now() - start < 6s);
        check_others_name(b, victim);
        CHECK(b.status_within(20s) == 1);
    }
}

TEST_CASE("with a deadline of 5 s a bench of which a rank stops has ended within 7 s") {
    for (const char* const transport : {"shared_memory", "tcp"})
        for (int victim : {0, 2}) {
            long_bench b{"5", transport};
            b.wait_for_measuring();
            REQUIRE(b.signal(victim, SIGSTOP));
            INFO(transport << " " << victim << "\n" << b.printed());
            CHECK(b.status_within(7s) == 1);
        }
}

TEST_CASE("a signal that ends a bench is its status, as of a shell") {
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
        long_bench b{"20"};
        b.wait_for_measuring();
        b.interrupt(number);
        CHECK(b.status_within(5s) == 128 + number); // 130, 143, 129
    }
}
