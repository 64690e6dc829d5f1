// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "../../tools/tutti/ps/output.hpp"
#include "command.hpp"

#include "support/tcp_ranks.hpp"

#include <collectives/algorithm/ring.hpp>
#include <transport/control/status/desk.hpp>
#include <transport/control/status/reading.hpp>

#include <nlohmann/json.hpp>

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>

#include <filesystem>
#include <functional>

using namespace tutti;
using namespace tutti::test;
using Catch::Contains;
using nlohmann::json;
using tools_test::command;
namespace status = tutti::transport::status;

namespace {

/// The world of a process's page; 0 until it has one.
std::uint64_t world_of(std::int64_t pid) {
    const auto in = status::place::open(false);
    if (!in) return 0;
    for (const auto& name : in->pages())
        if (const auto seen = status::look_at(*in, name); seen && seen->copy.head.pid == pid) return name.world;
    return 0;
}

/// Ranks over TCP that do as they are told, and the name of their job.
struct job {
    using work = std::function<void(const world_of_processes& world, account& mine)>;

    /// `enter(rank)` comes first.
    job(
        int size, const work& each, const std::function<int(int rank)>& enter = [](int) { return 0; },
        bool is_named = false)
        : ranks(size, [&](int rank, account& mine) {
              auto me = identity_on(enter(rank), rank, size, at);
              if (is_named) me.group = "tp3", me.global_rank = 10 + 2 * rank;
              const world_of_processes world{transport::tcp{std::move(me)}};
              mine.note = std::to_string(::getpid());
              mine.stage.store(1, std::memory_order_release);
              each(world, mine);
          }) {
        ranks.await_stage(1);
        id = status::world_in_words(world_of(std::stoll(ranks.of(0).note.str())));
    }
    [[nodiscard]] std::string text() const { return command("ps " + id).output; }
    [[nodiscard]] json facts() const {
        const auto told = command("ps --json " + id);
        INFO(told.output);
        REQUIRE(told.status == 0);
        return json::parse(told.output);
    }
    /// The facts, once the root of the waiting is of that kind.
    [[nodiscard]] json facts_of(const std::string& kind) const {
        json last;
        for (int k = 0; k < 50; ++k, std::this_thread::sleep_for(100ms)) {
            last = facts();
            if (last["root"]["kind"] == kind) return last;
        }
        INFO(last.dump(2));
        FAIL("the root is never of kind " + kind);
        return last;
    }
    [[nodiscard]] std::filesystem::path page(int rank) const {
        return status::place::path() + "/" + id + "-" + std::to_string(rank);
    }

    reserved_port at;
    processes ranks;
    std::string id;
};

/// A host of its own, as far as pages go: an empty folder in place of /dev/shm, kept by a process.
class elsewhere {
public:
    elsewhere()
        : keeper_(1, [](int, account& mine) {
              const bool good = ::unshare(CLONE_NEWNS) == 0 &&
                                ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                                ::mount("tmpfs", "/dev/shm", "tmpfs", 0, "size=1m") == 0;
              mine.stage.store(good ? 2 : 1, std::memory_order_release);
              mine.note = std::to_string(::getpid());
              mine.calls.store(1, std::memory_order_release);
              std::this_thread::sleep_for(patience);
          }) {
        keeper_.await(0, "a host of its own",
                      [](const account& a) { return a.calls.load(std::memory_order_acquire) > 0; });
    }
    [[nodiscard]] bool is_there() const { return keeper_.of(0).stage.load(std::memory_order_acquire) == 2; }
    /// This process goes there. Returns the host's number.
    [[nodiscard]] int enter() const {
        const int there = ::open(("/proc/" + keeper_.of(0).note.str() + "/ns/mnt").c_str(), O_RDONLY | O_CLOEXEC);
        expect(there >= 0 && ::setns(there, CLONE_NEWNS) == 0, "a process can go to that host");
        ::close(there);
        return 1;
    }

private:
    processes keeper_;
};

void warm_up(const world_of_processes& world) {
    std::vector<int> data(1000, 1);
    for (int k = 0; k < 3; ++k) world.allreduce(data, sum, algorithm::ring{});
}

/// Sleeps until the test says so.
void await_word(const account& mine) {
    while (mine.stage.load(std::memory_order_acquire) < 2) std::this_thread::sleep_for(1ms);
}

/// A call that the others wait in until rank 2 comes.
void wait_for_two(const world_of_processes& world, account& mine) {
    warm_up(world);
    if (world.rank() == 2) await_word(mine);
    std::vector<int> data(1000, 1);
    world.allreduce(data, sum, algorithm::ring{});
}

} // namespace

TEST_CASE("a rank that computes is shown as outside of calls, and as the root of the others' waiting") {
    const job j(4, wait_for_two);
    const auto facts = j.facts_of("outside");
    CHECK(facts["root"]["rank"] == 2);
    CHECK(facts["ranks_here"] == 4);
    CHECK(facts["ranks"][2]["calls_under_way"] == 0);
    const json& call = facts["ranks"][3]["calls"][0];
    CHECK_THAT(call["call"].get<std::string>(), Contains("allreduce(ring) of 1000 int32, sum"));
    CHECK(call["waits_for"] == json::array({2}));
    CHECK(call["number"] == 3);
    CHECK(call["blocks"] == true);
    CHECK(call["deadline_in_s"] > 1);
    CHECK(call["steps"] > call["step"]);
    CHECK(facts["ranks"][0]["sent"][0]["to"] == 1);
    CHECK(facts["ranks"][0]["sent"][0]["messages"] == 3 * 6);
    CHECK(facts["ranks"][0]["sent"][0]["bytes"] == 3 * 6 * 1000);

    const auto text = j.text();
    CHECK_THAT(text, Contains("outside of calls, its last one began"));
    CHECK_THAT(text, Contains("rank 2: outside of calls\n<- rank 3 waits for rank 2\n"));
    CHECK_THAT(text, Contains("all others wait for it"));
    CHECK_THAT(command("ps").output, Contains(j.id));
}

TEST_CASE("the program's names of the world and its ranks are shown beside the library's") {
    const job j(
        3, wait_for_two, [](int) { return 0; }, true);
    const auto facts = j.facts_of("outside");
    CHECK(facts["group"] == "tp3");
    CHECK(facts["ranks"][1]["global_rank"] == 12);
    CHECK_THAT(facts["root"]["sentence"].get<std::string>(), Contains("rank 2, global rank 14 (process "));
    const auto text = j.text();
    CHECK_THAT(text, Contains("job " + j.id + ", group tp3, 3 ranks"));
    CHECK_THAT(text, Contains("1 (global 12)"));
    CHECK(job(3, wait_for_two).facts_of("outside")["group"].is_null());
}

TEST_CASE("a stopped rank is shown as such before any deadline, with the call that it is in") {
    job j(4, [](const world_of_processes& world, account& mine) {
        warm_up(world);
        std::vector<int> data(1000, 1);
        while (mine.stage.load(std::memory_order_acquire) < 2) world.allreduce(data, maximum, algorithm::ring{});
    });
    j.ranks.send(1, SIGSTOP);
    const auto facts = j.facts_of("stopped");
    CHECK(facts["root"]["rank"] == 1);
    CHECK(facts["ranks"][1]["state"] == "stopped");
    CHECK_THAT(j.text(), Contains("is stopped by a signal (SIGCONT lets it go on) or by a debugger; all others wait"));
    j.ranks.send(1, SIGCONT);
    CHECK(j.facts_of("none")["root"]["rank"].is_null());
}

TEST_CASE("a killed rank is shown as dead while others of its job live, which tell why their calls failed") {
    job j(3, [](const world_of_processes& world, account& mine) {
        try {
            for (;;) warm_up(world);
        } catch (const error&) { // rank 1 is gone
        }
        await_word(mine);
    });
    j.ranks.send(1, SIGKILL);
    CHECK(j.ranks.end(1) == "signal 9");
    json facts = j.facts();
    for (int k = 0; k < 50 && facts["ranks"][0]["failure"].is_null(); ++k, std::this_thread::sleep_for(20ms))
        facts = j.facts();
    CHECK(facts["ranks"][1]["state"] == "dead");
    CHECK_THAT(facts["ranks"][0]["failure"].dump(), Contains("rank 1 was lost"));
    CHECK_THAT(j.text(), Contains("its calls have failed: rank 1 was lost"));
    for (int k = 0; k < 50 && j.text().find("no rank has waited") == std::string::npos; ++k)
        std::this_thread::sleep_for(20ms); // until rank 2 has given up, too
    CHECK_THAT(j.text(), Contains(" is dead: its process ended without leaving; no rank has waited"));
    CHECK(j.facts_of("dead")["root"]["rank"] == 1);
    CHECK(std::filesystem::exists(j.page(1)));
    for (const int r : {0, 2}) j.ranks.of(r).stage.store(2, std::memory_order_release);
    for (const int r : {2, 0}) CHECK(j.ranks.end(r) == "");
    CHECK_FALSE(std::filesystem::exists(j.page(0)));
    CHECK_FALSE(std::filesystem::exists(status::desk_address(std::stoull(j.id, nullptr, 16)).sun_path));
}

TEST_CASE("ranks that wait in unlike calls are told apart, though no message shows it") {
    const job j(2, [](const world_of_processes& world, account&) {
        int x = 1;
        const auto patient = world.with_deadline(patience);
        patient.broadcast(std::span(&x, 1), 1 - world.rank()); // each waits for the other's
    });
    const auto facts = j.facts_of("mismatch");
    CHECK_THAT(facts["root"]["sentence"].get<std::string>(),
               Contains("rank 0 called broadcast") && Contains("root 1") && Contains("rank 1 called broadcast") &&
                   Contains("root 0"));
}

TEST_CASE("ranks that wait for each other in unlike places are told with what each is in, as the exception tells") {
    const auto circle_of = [](const std::function<void(const world_of_processes& patient)>& each) {
        const job j(2, [&](const world_of_processes& world, account&) { each(world.with_deadline(patience)); });
        return j.facts_of("circle")["root"]["sentence"].get<std::string>();
    };
    const auto tags = circle_of([](const world_of_processes& patient) {
        std::vector<int> x(1, 1);
        if (patient.rank() == 1) return static_cast<void>(patient.receive(x, 0, 6));
        patient.send(x, 1, 5);
        patient.allreduce(x, sum, algorithm::ring{});
    });
    CHECK_THAT(tags, Contains("; rank 0 in allreduce(ring)") && Contains("; rank 1 in receive") &&
                         !Contains("algorithm is wrong"));
    const auto receives = circle_of([](const world_of_processes& patient) {
        std::vector<int> x(1, 1);
        patient.receive(x, 1 - patient.rank());
    });
    CHECK_THAT(receives, Contains("; rank 0 in receive") && Contains("; rank 1 in receive"));
    const auto barriers = circle_of([](const world_of_processes& patient) {
        const auto one = patient.split(0), other = patient.split(0);
        (patient.rank() == 0 ? one : other).barrier();
        (patient.rank() == 0 ? other : one).barrier();
    });
    CHECK_THAT(barriers, Contains("in calls of different communicators; rank ") && Contains("in barrier"));
}

TEST_CASE("requests that a program does not look at are told") {
    const job j(2, [](const world_of_processes& world, account& mine) {
        std::vector<int> data(1000, 1);
        // What has come when a call begins ends the first on rank 1 at times; its second waits in any case.
        for (int k = 0; world.rank() == 1 && k < 2; ++k) world.allreduce(data, sum, algorithm::ring{});
        if (world.rank() == 1) return;
        auto request = world.async().allreduce(data, sum, algorithm::ring{});
        auto second = world.async().receive(std::span(data).first(0), 1, 3);
        await_word(mine);
    });
    const auto facts = j.facts_of("elsewhere");
    CHECK(facts["root"]["rank"] == 0);
    CHECK(facts["ranks"][0]["calls_under_way"] == 2);
}

TEST_CASE("ranks of another host are asked by way of rank 0, and answer for stopped ones beside them") {
    const elsewhere other;
    if (!other.is_there()) {
        WARN("skipped: no folder of its own can be mounted over /dev/shm; run it as root");
        return;
    }
    job j(4, wait_for_two, [&](int rank) { return rank < 2 ? 0 : other.enter(); });
    // Rank 2 computes, rank 3 waits for it and answers for it.
    auto facts = j.facts_of("outside");
    CHECK(facts["ranks_here"] == 2);
    CHECK(facts["root"]["rank"] == 2);
    CHECK(facts["ranks"][2]["host"] == "host-1");
    CHECK(facts["ranks"][2]["here"] == false);
    CHECK(facts["ranks"][3]["state"] == "in a call");
    CHECK(facts["ranks"][3]["calls"][0]["waits_for"] == json::array({2}));

    j.ranks.send(2, SIGSTOP);
    facts = j.facts_of("stopped");
    CHECK(facts["root"]["rank"] == 2);
    CHECK_THAT(j.text(), Contains("stopped, outside of calls"));

    j.ranks.send(3, SIGSTOP); // nobody is left there who could answer
    for (int k = 0; k < 20 && facts["ranks"][3]["state"] != "silent"; ++k) facts = j.facts();
    CHECK(facts["ranks"][3]["state"] == "silent");
    CHECK(facts["ranks"][3]["calls"][0]["waits_for"] == json::array({2}));
    CHECK(facts["ranks"][3]["age_s"] > 0);

    j.ranks.send(0, SIGSTOP);
    CHECK_THAT(j.facts()["remark"].dump(), Contains("rank 0's process does not answer"));
    for (const int r : {0, 2, 3}) j.ranks.send(r, SIGCONT);
    j.ranks.of(2).stage.store(2, std::memory_order_release);
    check_ended(j.ranks);
}

TEST_CASE("the list of jobs tells how many ranks of each are dead") {
    tools::observed_job one;
    one.size = one.here = 3;
    one.command = "train";
    for (const auto state : {tools::rank_state::in_call, tools::rank_state::dead, tools::rank_state::dead}) {
        one.ranks.push_back({});
        one.ranks.back().state = state;
    }
    tools::observed_job well = one;
    for (auto& r : well.ranks) r.state = tools::rank_state::in_call;
    CHECK_THAT(tools::jobs_text({one}), Contains("  3  3, 2 dead  train\n"));
    CHECK_THAT(tools::jobs_text({well}), Contains("  3     3  train\n") && !Contains("dead"));
    const json listed = json::parse(tools::jobs_json({one, well}))["jobs"];
    CHECK(listed[0]["dead"] == 2);
    CHECK(listed[1]["dead"] == 0);
}

TEST_CASE("a job that is not there, and a word that is none, are said in the exit status") {
    CHECK(command("ps 0123456789abcdef").status == 1);
    CHECK(command("ps --watch 0").status == 2);
    CHECK(command("ps").status == 0);
    CHECK(json::parse(command("ps --json").output)["jobs"].is_array());
}

TEST_CASE("who is missing in the barrier of a bench itself is named, with those that wait there") {
    constexpr auto deadline = "71.25"; // by which its pages are known
    const auto is_ours = [&](const auto& command) {
        return std::string_view(command.data(), command.size()).find(deadline) != std::string_view::npos;
    };
    const auto run_bench = [&] {
        const char* const program = std::getenv("TUTTI_COMMAND");
        ::close(STDOUT_FILENO);
        // Of four ranks two exchange messages: rank 3 is in no call, so that others wait for it in the barrier alone.
        ::execl(program, program, "bench", "--deadline", deadline, "--ranks", "4", "--operation", "pingpong", "--pairs",
                "1", "--bytes", "8", "-n", "100000000", static_cast<char*>(nullptr));
        return false;
    };
    const child bench(run_bench, 60);
    std::int64_t third = 0;
    std::string id;
    for (int k = 0; k < 100 && third == 0; ++k, std::this_thread::sleep_for(100ms))
        if (const auto in = status::place::open(false))
            for (const auto& name : in->pages())
                if (const auto seen = status::look_at(*in, name);
                    seen && name.rank == 3 && is_ours(seen->copy.head.command)) {
                    third = seen->copy.head.pid;
                    id = status::world_in_words(name.world);
                }
    std::string text;
    if (third > 1) {
        std::this_thread::sleep_for(500ms); // it has made its last call of the library, a barrier
        ::kill(static_cast<pid_t>(third), SIGSTOP);
        for (int k = 0; k < 20 && text.find("tutti bench itself") == std::string::npos; ++k)
            text = command("ps " + id).output;
    }
    CHECK_THAT(text, Contains("rank 3 (process " + std::to_string(third)) && Contains("is stopped by a signal") &&
                         Contains("all others wait for it in the barrier of tutti bench itself"));
}
