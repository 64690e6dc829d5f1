// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// A rank under a launcher, with MPI where it is compiled with TUTTI_TEST_MPI. Prints a line and exits with 0 where all
// went well.
//
//   ranks alone             joins by the environment
//   ranks lost RANK FOLDER  then that rank kills itself, and all others must be told so, in time: each makes a file
//   there,
//                           since a launcher may lose what they print then
//   ranks by-file FILE RANK SIZE   without a launcher: an invitation in a file
//   ranks tutti-first       the world, then MPI_Init; MPI_Finalize while the world is there
//   ranks mpi-first         MPI_Init, then the world; MPI_Finalize after the world has gone
//   ranks twice             two worlds, one after the other, around MPI_Init
//   ranks invited           the world by an invitation that MPI_Bcast carries

#include <collectives/collectives.hpp>
#include <transport/invitation.hpp>
#include <transport/routed.hpp>
#include <transport/tcp.hpp>

#if defined(TUTTI_TEST_MPI)
#include <mpi.h>
#endif

#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <unistd.h>

using namespace tutti;
using world = communicator<transport::tcp>;

namespace {

void check_sum(const world& w) {
    if (w.allreduce(w.rank() + 1, sum) != w.size() * (w.size() + 1) / 2) throw std::runtime_error("a wrong sum");
}

/// Each rank talks to each, which an algorithm that knows of hosts would not.
void check_pairs(const world& w) {
    for (int d = 1; d < w.size(); ++d) {
        const std::vector<int> out{w.rank()};
        std::vector<int> in{-1};
        const int from = (w.rank() + w.size() - d) % w.size();
        w.sendrecv(out, (w.rank() + d) % w.size(), in, from);
        if (in[0] != from) throw std::runtime_error("a wrong message");
    }
}

void say_done(const world& w, const std::string& how) {
    std::printf("%s: rank %d of %d\n", how.c_str(), w.rank(), w.size());
}

void alone() {
    const world w{transport::tcp::from_environment()};
    check_sum(w), check_pairs(w);
    say_done(w, "alone");
}

void lost(int victim, const std::string& folder) {
    constexpr auto deadline = std::chrono::seconds(3);
    world w{transport::tcp::from_environment()};
    w.default_deadline(deadline);
    const auto begun = std::chrono::steady_clock::now();
    try {
        check_sum(w); // others may be in it still when the victim dies
        if (w.rank() == victim) std::raise(SIGKILL);
        for (;;) check_sum(w);
    } catch (const error& e) {
        if (e.why() != cause::lost_peer || e.facts().peer != victim) throw;
        if (std::chrono::steady_clock::now() - begun > deadline + std::chrono::seconds(1))
            throw std::runtime_error("it took too long");
    }
    std::ofstream(folder + "/" + std::to_string(w.rank())) << "told";
}

void by_file(const std::string& file, int rank, int size) {
    using routed = transport::routed<transport::shared_memory, transport::tcp>;
    if (rank == 0) {
        std::ofstream(file + ".new") << invitation::create().text();
        std::filesystem::rename(file + ".new", file); // so that nobody reads half of it
    }
    for (int i = 0; !std::filesystem::exists(file) && i < 1000; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    std::string text;
    std::ifstream(file) >> text;
    const communicator w{routed{invitation{text}.as(rank, size)}};
    if (w.allreduce(w.rank() + 1, sum) != size * (size + 1) / 2) throw std::runtime_error("a wrong sum");
    std::printf("by-file: rank %d of %d\n", w.rank(), w.size());
}

#if defined(TUTTI_TEST_MPI)
/// MPI agrees about the place.
void check_mpi(const world& w) {
    int mine = w.rank() + 1, all = 0, rank = -1;
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (all != w.size() * (w.size() + 1) / 2 || rank != w.rank()) throw std::runtime_error("MPI says something else");
}

void tutti_first() {
    const world w{transport::tcp::from_environment()};
    MPI_Init(nullptr, nullptr);
    check_sum(w), check_mpi(w);
    MPI_Finalize();
    check_sum(w);
    say_done(w, "tutti-first");
}

void mpi_first() {
    MPI_Init(nullptr, nullptr);
    {
        const world w{transport::tcp::from_environment()};
        check_sum(w), check_mpi(w);
        say_done(w, "mpi-first");
    }
    MPI_Finalize();
}

void twice() {
    std::optional<world> first{std::in_place, transport::tcp::from_environment()};
    check_sum(*first);
    first.reset();
    MPI_Init(nullptr, nullptr);
    const world second{transport::tcp::from_environment()};
    check_sum(second), check_mpi(second);
    MPI_Finalize();
    say_done(second, "twice");
}

void invited() {
    MPI_Init(nullptr, nullptr);
    int rank = 0, size = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    std::array<char, invitation::most_characters + 1> text{};
    if (rank == 0) invitation::create("127.0.0.1").text().copy(text.data(), invitation::most_characters);
    MPI_Bcast(text.data(), static_cast<int>(text.size()), MPI_CHAR, 0, MPI_COMM_WORLD);
    {
        const world w{transport::tcp{invitation{text.data()}.as(rank, size)}};
        check_sum(w), check_mpi(w);
        say_done(w, "invited");
    }
    MPI_Finalize();
}
#endif

void run(const std::vector<std::string>& words) {
    const auto& how = words.at(0);
    if (how == "alone") return alone();
    if (how == "lost") return lost(std::stoi(words.at(1)), words.at(2));
    if (how == "by-file") return by_file(words.at(1), std::stoi(words.at(2)), std::stoi(words.at(3)));
#if defined(TUTTI_TEST_MPI)
    if (how == "tutti-first") return tutti_first();
    if (how == "mpi-first") return mpi_first();
    if (how == "twice") return twice();
    if (how == "invited") return invited();
#endif
    throw std::runtime_error("there is no " + how);
}

} // namespace

int main(int argc, char** argv) {
    try {
        run({argv + 1, argv + argc});
        return 0;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 1;
    }
}
