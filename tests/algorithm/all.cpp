// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <base/error.hpp>
#include <collectives/algorithm/all.hpp>
#include <collectives/algorithm/prove.hpp>

#include "support/catch.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

using namespace tutti::algorithm;
using tutti::schedule::operation;

namespace {

bool lists(operation o, std::string_view name) {
    const auto list = names(o);
    return std::find(list.begin(), list.end(), name) != list.end();
}

struct my_ring : ring {
    static constexpr std::string_view name = "my_ring";
};

} // namespace

TEST_CASE("every algorithm has an allreduce, but for those of scans, of exchanges, and of one rooted operation") {
    for (const any& a : all()) {
        const bool scans = a.name() == "chain" || a.name() == "hillis_steele";
        const bool rooted = a.name() == "scatter_allgather" || a.name() == "reduce_scatter_gather";
        CHECK(lists(operation::allreduce, a.name()) == !(scans || rooted || a.name() == "bruck"));
        CHECK(lists(operation::scan, a.name()) == scans);
        CHECK(lists(operation::exscan, a.name()) == scans);
    }
}

TEST_CASE("the algorithms of an operation are those that offer it") {
    for (const operation o : tutti::schedule::operations) {
        std::size_t some = 0;
        for (const any& a : all()) some += a.offers(o) ? 1 : 0;
        CHECK(all(o).size() == some);
        CHECK(some >= 2);
        for (const any& a : all(o, 3)) CHECK(a.offers(o));
    }
}

TEST_CASE("the halves of an allreduce are offered on their own") {
    for (const std::string_view name : {"ring", "halving_doubling", "parameter_server", "direct", "circulant"}) {
        CHECK(lists(operation::reduce_scatter, name));
        CHECK(lists(operation::allgather, name));
        CHECK_FALSE(lists(operation::reduce, name));
    }
    for (const std::string_view name : {"naive", "binomial_tree", "double_binary_tree"}) {
        CHECK(lists(operation::reduce, name));
        CHECK(lists(operation::broadcast, name));
        CHECK_FALSE(lists(operation::allgather, name));
    }
    for (const operation o :
         {operation::reduce_scatter, operation::allgather, operation::reduce, operation::broadcast}) {
        CHECK_FALSE(lists(o, "butterfly"));
        CHECK_FALSE(lists(o, "one_shot"));
    }
}

TEST_CASE("an algorithm is found by its name, with the ranks per node where it needs them") {
    for (const any& a : all(4)) {
        CHECK(by_name(a.name(), 4).name() == a.name());
        CHECK(by_name(a.name(), 4).id() == a.id());
    }
    for (const any& a : compositions(4)) CHECK(by_name(a.name(), 4).id() == a.id());
    CHECK(by_name("hierarchical:ring:ring", 2).id() != by_name("hierarchical:ring:ring", 3).id());
}

TEST_CASE("an unknown name is refused with all names that there are") {
    for (const std::string name : {"rings", "", "Ring", "ring "}) {
        try {
            (void)by_name(name);
            FAIL("\"" << name << "\" was found");
        } catch (const tutti::error& e) {
            CHECK(e.why() == tutti::cause::invalid_argument);
            const std::string message = e.what();
            INFO(message);
            CHECK(message.find("\"" + name + "\"") != std::string::npos);
            for (const any& a : all()) CHECK(message.find(std::string(a.name())) != std::string::npos);
        }
    }
}

TEST_CASE("messages do not depend on whether a rank works in place, so that ranks may differ in it") {
    const auto messages = [](const std::vector<step>& steps) {
        std::vector<std::array<int, 4>> list; // receives from one peer, and sends to it, keep their order in it
        for (const step& s : steps) {
            const place x = receives(s) ? s.to : s.from;
            if (communicates(s)) list.push_back({s.peer, sends(s), x.first, x.count});
        }
        std::stable_sort(list.begin(), list.end(),
                         [](const auto& a, const auto& b) { return std::pair(a[0], a[1]) < std::pair(b[0], b[1]); });
        return list;
    };
    for (const int size : {2, 3, 4, 5, 7, 8, 12})
        for (const any& a : all(size == 12 ? 4 : 3))
            for (const operation o : tutti::schedule::operations) {
                if (!a.offers(o)) continue;
                INFO(a.name() << " " << name_of(o) << " of " << size);
                const auto apart = a.write(o, size, size / 2, false), in_place = a.write(o, size, size / 2, true);
                for (std::size_t r = 0; r < apart.ranks.size(); ++r)
                    CHECK(messages(apart.ranks[r]) == messages(in_place.ranks[r]));
            }
}

// The last one: what add() has added stays for the rest of the program.
TEST_CASE("a hierarchy that was added gets the ranks per node that are asked for, as those of the library do") {
    add(hierarchical<ring, my_ring>{});
    const any four = by_name("hierarchical:ring:my_ring", 4);
    CHECK(four.levels().ranks_per_node == 4);
    CHECK(four.stated(operation::allreduce, 16) ==
          by_name("hierarchical:ring:ring", 4).stated(operation::allreduce, 16));
    CHECK(added(4).front() == four);
    CHECK(lists(operation::allreduce, "hierarchical:ring:my_ring"));
    CHECK_THROWS_AS(add(hierarchical<ring, my_ring>{2}), tutti::error);
}
