// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// A program that hides its symbols, and is linked with the shared library. Both have one exception, and one of what
// bodies in headers keep. Exits 0 if so.
#include <tutti/collectives/algorithm/binomial_tree.hpp>
#include <tutti/collectives/algorithm/prove.hpp>
#include <tutti/collectives/collectives.hpp>
#include <tutti/collectives/model/closed_form.hpp>
#include <tutti/collectives/model/price.hpp>
#include <tutti/transport/invitation.hpp>
#include <tutti/transport/tcp.hpp>

#include <cmath>
#include <cstdlib>
#include <future>

namespace {

struct mine : tutti::algorithm::binomial_tree {
    static constexpr std::string_view name = "mine";
};

/// Of so many ranks that the library takes a formula: infinite if it knows none.
double priced() {
    const tutti::model::collective call{.how = mine{}, .size = 100'000, .bytes = 1 << 20};
    return tutti::model::price_s(call, {.size = call.size}, tutti::model::uniform({}));
}

/// Rank 0 listens by what it has written here, and by what the library has.
bool invited() {
    const auto to = tutti::invitation::create("127.0.0.1");
    const auto sum_as = [&](int rank) {
        tutti::communicator world{tutti::transport::tcp{to.as(rank, 2)}};
        return world.allreduce(rank + 1, tutti::sum);
    };
    auto other = std::async(std::launch::async, sum_as, 1);
    return sum_as(0) == 3 && other.get() == 3;
}

/// The library throws, since the rank is none of the world's.
bool caught() {
    ::setenv("TUTTI_RANK", "7", 1);
    ::setenv("TUTTI_SIZE", "2", 1);
    try {
        tutti::communicator world{tutti::transport::tcp::from_environment()};
    } catch (const tutti::error&) {
        return true;
    }
    return false;
}

} // namespace

int main() {
    if (std::isfinite(priced())) return 1;
    tutti::model::add_closed_form<mine>(); // written here, read there
    if (!std::isfinite(priced())) return 2;
    if (!invited()) return 3;
    return caught() ? 0 : 4;
}
