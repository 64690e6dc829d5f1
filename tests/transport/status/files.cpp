// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include <transport/control/status/own_page.hpp>

#include <transport/control/status/reading.hpp>

#include "support/processes.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>

using namespace tutti::test;
namespace status = tutti::transport::status;
namespace bootstrap = tutti::transport::bootstrap;

namespace {

bootstrap::world_table table_of(std::uint64_t world, int size, int hosts = 1) {
    bootstrap::world_table t;
    t.world = world;
    for (int r = 0; r < size; ++r) {
        auto& m = t.members.emplace_back();
        m.rank = r;
        m.host = "host-" + std::to_string(r % hosts);
        m.host_id = m.host;
    }
    return t;
}
std::uint64_t new_world() {
    std::random_device random;
    return std::uint64_t{random()} << 32 | random();
}
std::filesystem::path file_of(std::uint64_t world, int rank) {
    return status::place::path() + "/" + status::text_of({world, rank});
}
bool is_held(std::uint64_t world, int rank) {
    const auto in = status::place::open(false);
    const auto file = in.value().file_of({world, rank});
    return file && status::is_held(file.get());
}

struct folder {
    folder() {
        char name[] = "/tmp/tutti-status-XXXXXX";
        path = ::mkdtemp(name);
    }
    ~folder() { std::filesystem::remove_all(path); }
    std::string path;
};

} // namespace

TEST_CASE("a rank's page is a file that its user alone may read, and goes with the rank") {
    const auto world = new_world();
    {
        auto table = table_of(world, 3, 2);
        table.members[1].group = "tp3";
        table.members[1].global_rank = 6;
        const auto page = status::own_page::made(1, table);
        REQUIRE(page);
        struct stat facts {};
        REQUIRE(::stat(file_of(world, 1).c_str(), &facts) == 0);
        CHECK((facts.st_mode & 07777) == 0600);
        REQUIRE(::stat(status::place::path().c_str(), &facts) == 0);
        CHECK((facts.st_mode & 07777) == 0700);
        CHECK(is_held(world, 1));

        page->get().line.begin(0, 17);
        const auto in = status::place::open(false);
        const auto told = status::told_by(status::image_in(in->file_of({world, 1}).get()).value());
        REQUIRE(told);
        CHECK(told->world == world);
        CHECK(told->rank == 1);
        CHECK(told->size == 3);
        CHECK(told->node == 1);
        CHECK(told->hosts == 2);
        CHECK(told->pid == ::getpid());
        CHECK(told->host == "host-1");
        CHECK(told->zero_host == "host-0");
        CHECK(told->group == "tp3");
        CHECK(told->global_rank == 6);
        CHECK(told->request == 17);
        CHECK(told->under_way == 1);
        CHECK(told->process_start == status::facts_of_process(std::to_string(::getpid()))->start);
    }
    CHECK_FALSE(std::filesystem::exists(file_of(world, 1)));
}

TEST_CASE("TUTTI_STATUS=0 switches the page off") {
    const auto world = new_world();
    ::setenv("TUTTI_STATUS", "0", 1);
    CHECK_FALSE(status::own_page::made(0, table_of(world, 1)));
    ::unsetenv("TUTTI_STATUS");
    CHECK_FALSE(std::filesystem::exists(file_of(world, 0)));
}

TEST_CASE("a killed rank leaves its page, unheld; the next start removes it when its world has no living rank here") {
    const auto world = new_world();
    processes ranks(2, [&](int rank, account& mine) {
        const auto page = status::own_page::made(rank, table_of(world, 2));
        mine.stage.store(1, std::memory_order_release);
        std::this_thread::sleep_for(patience);
    });
    ranks.await_stage(1);
    ranks.send(0, SIGKILL);
    CHECK(ranks.end(0) == "signal 9");
    CHECK(std::filesystem::exists(file_of(world, 0)));
    CHECK_FALSE(is_held(world, 0));
    CHECK(is_held(world, 1));
    {
        const auto other = status::own_page::made(0, table_of(new_world(), 1)); // sweeps
        REQUIRE(other);
        CHECK(std::filesystem::exists(file_of(world, 0)));
        CHECK(std::filesystem::exists(file_of(world, 1)));
    }
    ranks.send(1, SIGKILL);
    CHECK(ranks.end(1) == "signal 9");
    const auto second = status::own_page::made(1, table_of(new_world(), 2)); // not the first of its host
    const auto other = status::own_page::made(0, table_of(new_world(), 1));
    CHECK_FALSE(std::filesystem::exists(file_of(world, 0)));
    CHECK_FALSE(std::filesystem::exists(file_of(world, 1)));
}

TEST_CASE("a socket that has no page beside it goes with a later start, when it is old") {
    const auto world = new_world();
    const auto socket = status::place::path() + "/" + status::world_in_words(world) + status::desk_suffix;
    const auto sweeping_start = [] { CHECK(status::own_page::made(0, table_of(new_world(), 1))); };
    sweeping_start(); // makes the folder
    std::ofstream(socket) << "";
    sweeping_start();
    CHECK(std::filesystem::exists(socket));
    std::filesystem::last_write_time(socket, std::filesystem::file_time_type::clock::now() - std::chrono::minutes(2));
    sweeping_start();
    CHECK_FALSE(std::filesystem::exists(socket));
}

TEST_CASE("a child that was only forked neither holds the page of a dead rank nor removes that of a living one") {
    const auto world = new_world();
    processes ranks(1, [&](int, account& mine) {
        auto page = status::own_page::made(0, table_of(world, 1));
        expect(in_child([&] { page.reset(); }).empty(), "a child destroys its copy");
        const pid_t second = ::fork();
        if (second == 0) {
            ::alarm(20);
            ::pause();
            ::_exit(0);
        }
        mine.note = std::to_string(second);
        mine.stage.store(1, std::memory_order_release);
        std::this_thread::sleep_for(patience);
    });
    ranks.await_stage(1);
    CHECK(is_held(world, 0));
    ranks.send(0, SIGKILL);
    CHECK(ranks.end(0) == "signal 9");
    CHECK(std::filesystem::exists(file_of(world, 0)));
    // The second child gives its copy of the lock up as it begins, which may be after its parent has ended.
    for (int i = 0; is_held(world, 0) && i < 500; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    CHECK_FALSE(is_held(world, 0));
    ::kill(std::stoi(ranks.of(0).note.str()), SIGKILL);
    std::filesystem::remove(file_of(world, 0));
}

TEST_CASE("a folder that others may enter, a link to one, and a file are no place for pages") {
    const folder temporary;
    CHECK(status::place::open(false, temporary.path));
    std::filesystem::create_directory_symlink(temporary.path, temporary.path + "/link");
    CHECK_FALSE(status::place::open(true, temporary.path + "/link"));
    std::filesystem::permissions(temporary.path, std::filesystem::perms(0750));
    CHECK_FALSE(status::place::open(false, temporary.path));
    std::filesystem::permissions(temporary.path, std::filesystem::perms(0700));
    CHECK_FALSE(status::place::open(false, temporary.path + "/none"));
    CHECK(status::place::open(true, temporary.path + "/none"));
}

TEST_CASE("only names of pages are taken for pages") {
    CHECK(status::page_name_of("00000000000000ff-12") == status::page_name{255, 12});
    for (const char* const wrong :
         {"", "00000000000000ff", "00000000000000ff-", "00000000000000FF-1", "0000000000000ff-1", "00000000000000ff-01",
          "00000000000000ff--1", "00000000000000ff-1x", "../x"})
        CHECK_FALSE(status::page_name_of(wrong));
}
