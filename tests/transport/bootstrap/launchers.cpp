// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <transport/join/launchers.hpp>

#include "support/catch.hpp"
#include "support/has.hpp"
#include "support/surroundings.hpp"

using namespace tutti;
using namespace tutti::transport::bootstrap;
using test::has;
using test::identity_failure;
using test::surroundings;
using test::variables;

namespace {

variables torch() {
    return {{"RANK", "3"},
            {"WORLD_SIZE", "4"},
            {"LOCAL_RANK", "1"},
            {"LOCAL_WORLD_SIZE", "2"},
            {"GROUP_RANK", "1"},
            {"MASTER_ADDR", "node7"},
            {"MASTER_PORT", "29500"},
            {"TORCHELASTIC_RUN_ID", "none"},
            {"TORCHELASTIC_RESTART_COUNT", "0"}};
}
variables open_mpi() {
    return {{"OMPI_COMM_WORLD_RANK", "2"},
            {"OMPI_COMM_WORLD_SIZE", "3"},
            {"OMPI_COMM_WORLD_LOCAL_SIZE", "3"},
            {"PMIX_NAMESPACE", "job"},
            {"PMIX_RANK", "2"}};
}
variables hydra() { return {{"PMI_RANK", "1"}, {"PMI_SIZE", "2"}, {"PMI_FD", "7"}, {"MPI_LOCALNRANKS", "2"}}; }
variables slurm() {
    return {{"SLURM_PROCID", "5"},
            {"SLURM_STEP_ID", "0"},
            {"SLURM_STEP_NUM_TASKS", "8"},
            {"SLURM_STEP_NUM_NODES", "2"},
            {"SLURM_STEP_NODELIST", "n[02-03]"},
            {"SLURM_JOB_ID", "77"},
            {"SLURMD_NODENAME", "n03"}};
}

variables together(variables a, const variables& b) {
    a.insert(b.begin(), b.end());
    return a;
}

identity identity_in(const variables& v) {
    const surroundings s(v);
    return identity_from_environment();
}

std::string name_of_launcher_in(const variables& v) {
    const surroundings s(v);
    const auto* const found = present_launcher();
    return found ? found->name : "";
}

} // namespace

TEST_CASE("torchrun tells rank, size and host; its port is left to torch", "[launchers]") {
    const auto me = identity_in(torch());
    CHECK(me.rank == 3);
    CHECK(me.size == 4);
    CHECK(me.rendezvous.host == "node7");
    CHECK(me.rendezvous.port >= 20'000);
    CHECK(me.rendezvous.port < 32'000);
    CHECK_FALSE(me.exchange);
    auto other = torch();
    other["RANK"] = "0";
    other["LOCAL_RANK"] = "0";
    CHECK(identity_in(other).rendezvous == me.rendezvous);
    other["TORCHELASTIC_RESTART_COUNT"] = "1";
    CHECK(identity_in(other).rendezvous != me.rendezvous);
}

TEST_CASE("workers of one torchrun agent meet at loopback", "[launchers]") {
    auto v = torch();
    v["LOCAL_WORLD_SIZE"] = "4";
    CHECK(identity_in(v).rendezvous.host == "127.0.0.1");
}

TEST_CASE("a pod of several processes without torchrun is refused", "[launchers]") {
    auto v = torch();
    v.erase("TORCHELASTIC_RUN_ID");
    v["PET_NPROC_PER_NODE"] = "8";
    CHECK(has(identity_failure(v), "may count pods"));
    v["PET_NPROC_PER_NODE"] = "1";
    CHECK(identity_in(v).size == 4);
}

TEST_CASE("Open MPI and Hydra tell rank and size, and have a place for the rest", "[launchers]") {
    const auto a = identity_in(open_mpi());
    CHECK(a.rank == 2);
    CHECK(a.size == 3);
    CHECK(a.one_host);
    CHECK(a.exchange);
    const auto b = identity_in(hydra());
    CHECK(b.rank == 1);
    CHECK(b.size == 2);
    CHECK(b.one_host);
    CHECK(b.exchange);
}

TEST_CASE("a launcher that cannot be used is an error that says what to set, not a world of one", "[launchers]") {
    auto v = hydra();
    v.erase("PMI_FD");
    CHECK(has(identity_failure(v), "PMI_FD is not set"));
    CHECK(has(identity_failure(v), "set TUTTI_ADDRESS"));
    v["TUTTI_ADDRESS"] = "127.0.0.1:2000";
    CHECK(identity_in(v).size == 2);
    CHECK_FALSE(identity_in(v).exchange);
    CHECK(has(identity_failure({{"TORCHELASTIC_RUN_ID", "x"}}), "WORLD_SIZE is not set"));
    auto s = slurm();
    s["SLURM_STEP_NODELIST"] = "[";
    CHECK(has(identity_failure(s), "SLURM_STEP_NODELIST is \"[\""));
    s = slurm();
    s["SLURM_PROCID"] = "8";
    CHECK(has(identity_failure(s), "SLURM_PROCID is \"8\": it must be a whole number from 0 to 7"));
}

TEST_CASE("Slurm: the step counts, not the job", "[launchers]") {
    auto v = slurm();
    v["SLURM_NTASKS"] = "64";
    v["SLURM_NODELIST"] = "other[1-9]";
    const auto me = identity_in(v);
    CHECK(me.rank == 5);
    CHECK(me.size == 8);
    CHECK(me.rendezvous.host == "n02");
    CHECK(me.host == "n03");
    v["SLURM_STEP_ID"] = "1";
    CHECK(identity_in(v).rendezvous.port != me.rendezvous.port);
    v["TUTTI_HOST"] = "mine";
    CHECK(identity_in(v).host == "mine");
    CHECK_FALSE(identity_in(v).exchange);
    v["SLURM_STEP_NUM_NODES"] = "1";
    CHECK(identity_in(v).rendezvous.host == "127.0.0.1");
    v["PMIX_NAMESPACE"] = "slurm.pmix.77.0";
    v["PMIX_RANK"] = "5";
    CHECK(identity_in(v).exchange);
}

TEST_CASE("what Slurm did not know is not set", "[launchers]") {
    auto v = slurm();
    v["SLURM_STEP_NODELIST"] = "(null)";
    CHECK(has(identity_failure(v), "SLURM_STEP_NODELIST is not set"));
    for (const char* const none : {"None", "(none)"}) {
        v["SLURM_STEP_NODELIST"] = none;
        CHECK(has(identity_failure(v), "it names no first host"));
    }
    v["SLURMD_NODENAME"] = "(null)";
    v["SLURM_STEP_NUM_NODES"] = "1";
    CHECK(identity_in(v).rendezvous.host == "127.0.0.1");
    CHECK(identity_in(v).host.empty());
}

TEST_CASE("Slurm: a script or a shell of a job is no rank", "[launchers]") {
    CHECK(name_of_launcher_in({{"SLURM_PROCID", "0"}, {"SLURM_JOB_ID", "1"}, {"SLURM_NTASKS", "4"}}).empty());
    for (const char* step : {"4294967291", "4294967290", "batch"}) {
        auto v = slurm();
        v["SLURM_STEP_ID"] = step;
        CHECK(name_of_launcher_in(v).empty());
    }
}

TEST_CASE("Slurm's node name is the host of its tasks alone", "[launchers]") {
    auto v = hydra();
    v["PMI_RANK"] = "5";
    v["PMI_SIZE"] = "8";
    CHECK(identity_in(together(v, slurm())).host == "n03");
    v["PMI_RANK"] = "4"; // started by something else within the step
    CHECK(identity_in(together(v, slurm())).host.empty());
}

TEST_CASE("the first host of a Slurm list", "[launchers]") {
    const auto [list, first] = GENERATE(table<const char*, const char*>({
        {"n1", "n1"},
        {"n1,n2", "n1"},
        {"n[1-2]", "n1"},
        {"n[01-04,7],m", "n01"},
        {"n[7,9]-ib", "n7-ib"},
        {"r[1-2]c[03-4]", "r1c03"},
        {"", ""},
        {"n[", ""},
        {"n[a-b]", ""},
        {"n]", ""},
        {"n 1", ""},
        {"n:1", ""},
    }));
    CHECK(transport::bootstrap::detail::first_host(list) == first);
}

TEST_CASE("Kubernetes: the index is the rank, and the user says the size", "[launchers]") {
    variables v{{"JOB_COMPLETION_INDEX", "2"}};
    CHECK(has(identity_failure(v), "TUTTI_SIZE is not set"));
    v["TUTTI_SIZE"] = "4";
    v["TUTTI_ADDRESS"] = "train-0.ring:29400";
    const auto me = identity_in(v);
    CHECK(me.rank == 2);
    CHECK(me.size == 4);
    CHECK(me.rendezvous == endpoint{"train-0.ring", 29'400});
    CHECK(transport::bootstrap::detail::kubernetes::pod_zero("train-2.ring.default.svc", 2) ==
          "train-0.ring.default.svc");
    CHECK(transport::bootstrap::detail::kubernetes::pod_zero("train-12.ring", 2).empty());
    CHECK(transport::bootstrap::detail::kubernetes::pod_zero("train-2", 2).empty());
    CHECK(transport::bootstrap::detail::kubernetes::pod_zero("-2.ring", 2).empty());
}

TEST_CASE("the first launcher of the list is taken", "[launchers]") {
    variables all = together(together(torch(), open_mpi()), together(hydra(), slurm()));
    all["JOB_COMPLETION_INDEX"] = "0";
    CHECK(name_of_launcher_in(all) == "torchrun");
    for (const auto& [name, value] : torch()) all.erase(name);
    CHECK(name_of_launcher_in(all) == "Open MPI");
    for (const auto& [name, value] : open_mpi()) all.erase(name);
    CHECK(has(name_of_launcher_in(all), "PMI"));
    for (const auto& [name, value] : hydra()) all.erase(name);
    CHECK(name_of_launcher_in(all) == "Slurm");
    for (const auto& [name, value] : slurm()) all.erase(name);
    CHECK(name_of_launcher_in(all) == "Kubernetes");
    all["TUTTI_RANK"] = "0";
    CHECK(has(name_of_launcher_in(all), "TUTTI_RANK"));
}

TEST_CASE("what the user says overrides the launcher, and must not contradict it", "[launchers]") {
    auto v = open_mpi();
    v["TUTTI_ADDRESS"] = "10.0.0.1:5000";
    CHECK(identity_in(v).rendezvous == endpoint{"10.0.0.1", 5000});
    CHECK_FALSE(identity_in(v).exchange);
    v["TUTTI_SIZE"] = "3";
    CHECK(identity_in(v).size == 3);
    v["TUTTI_SIZE"] = "4";
    CHECK(has(identity_failure(v), "TUTTI_SIZE is \"4\", and Open MPI says that there are 3 ranks"));
}

TEST_CASE("one rank by one launcher and several by another are an error that names both", "[launchers]") {
    auto v = hydra();
    v["PMI_RANK"] = "0";
    v["PMI_SIZE"] = "1";
    CHECK(identity_in(v).size == 1);
    const auto both = identity_failure(together(v, slurm()));
    CHECK(has(both, "PMI_SIZE of PMI"));
    CHECK(has(both, "says that there is 1 rank, and SLURM_STEP_NUM_TASKS of Slurm that there are 8"));
    CHECK(has(both, "unset the variables of the one that did not start this program"));
    const variables left{{"TUTTI_RANK", "0"}, {"TUTTI_SIZE", "1"}, {"TUTTI_ADDRESS", "127.0.0.1:2000"}};
    CHECK(has(identity_failure(together(left, open_mpi())), "TUTTI_SIZE of "));
    CHECK(has(identity_failure(together(left, torch())), "WORLD_SIZE of torchrun that there are 4"));
    v["PMI_SIZE"] = "2"; // many of one within a task of another are common
    CHECK(identity_in(together(v, slurm())).size == 2);
    auto outer = slurm();
    outer["SLURM_PROCID"] = "0";
    outer["SLURM_STEP_NUM_TASKS"] = "1";
    CHECK(identity_in(together(torch(), outer)).size == 4);
}

TEST_CASE("one rank needs no address under any launcher", "[launchers]") {
    CHECK(identity_in({{"TUTTI_RANK", "0"}, {"TUTTI_SIZE", "1"}}).size == 1);
    CHECK(identity_in({{"TORCHELASTIC_RUN_ID", "x"}, {"RANK", "0"}, {"WORLD_SIZE", "1"}}).size == 1);
    CHECK(identity_in({{"PMI_RANK", "0"}, {"PMI_SIZE", "1"}}).size == 1);
    CHECK(identity_in({{"SLURM_PROCID", "0"}, {"SLURM_STEP_ID", "0"}, {"SLURM_STEP_NUM_TASKS", "1"}}).size == 1);
    CHECK(identity_in({{"JOB_COMPLETION_INDEX", "0"}, {"TUTTI_SIZE", "1"}}).size == 1);
}
