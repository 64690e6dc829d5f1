// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/schedule/lowering/lower.hpp>
#include <collectives/schedule/verify_modes.hpp>

#include "mutator.hpp"
#include "oracle.hpp"
#include "random_program.hpp"
#include "support/catch.hpp"
#include "support/effort.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

using namespace tutti::test;

// TUTTI_FUZZ_SECONDS=600 makes it go on for so long; TUTTI_FUZZ_SEED=7 makes it begin with that case.

namespace {

unsigned long number_of(const char* variable, unsigned long otherwise) {
    const char* const text = std::getenv(variable);
    return text ? std::stoul(text) : otherwise;
}

/// Calls `one` with the seeds of so many cases, or of as many as the time allows that was asked for.
void each_case(unsigned cases, const std::function<void(unsigned)>& one) {
    const auto seconds = std::chrono::seconds(number_of("TUTTI_FUZZ_SECONDS", 0));
    const auto end = std::chrono::steady_clock::now() + seconds;
    const auto first = static_cast<unsigned>(number_of("TUTTI_FUZZ_SEED", 1));
    for (unsigned k = 0; k < effort(cases) || std::chrono::steady_clock::now() < end; ++k) {
        INFO("TUTTI_FUZZ_SEED=" << first + k);
        one(first + k);
    }
}

struct outcome {
    int right = 0, wrong = 0;
};

/// verify and the second opinion must agree, in several interleavings; what is proven needs no buffers and suffers
/// none.
void judge(const program& p, unsigned seed, outcome& seen) {
    oracle second(p, seed);
    const std::string opinion = second.judge();
    const proof found = verify(p);
    INFO("verify says " << found.message() << ", the second opinion is " << (opinion.empty() ? "right" : opinion));
    INFO(listing(p));
    REQUIRE(found.proven == opinion.empty());
    ++(found.proven ? seen.right : seen.wrong);
    if (found.fault.what == flaw::different_bits) REQUIRE(opinion == "different bits");
    if (!found.proven) return;
    if (reduces(p.what)) REQUIRE(found.preserves_order == second.in_rank_order());
    REQUIRE(verify(p, nullptr, bits::may_differ).proven);
    for (unsigned again = 1; again <= 2; ++again) {
        REQUIRE(oracle(p, seed + again).judge().empty());
        REQUIRE(oracle(p, seed + again, {}, oracle::waiting::in_buffers).judge().empty());
    }
}

/// Somebody else reads a chunk of the user's at any moment: the rank itself, or another one by a message. Of both
/// nobody takes notice.
void spy(program& p, mutator& m, int bank) {
    const auto list = [&](int r) -> std::vector<step>& { return p.ranks[static_cast<std::size_t>(r)]; };
    const auto put = [&](int r, int i, const step& s) { list(r).insert(list(r).begin() + i, s); };
    const int from = m.below(p.size), to = m.below(p.size), chunk = m.below(p.chunks);
    const place seen{m.below(2) == 0 ? buffer::input : buffer::output, chunk, 1}, kept{scratch(bank), chunk, 1};
    const int i = m.below(static_cast<int>(list(from).size()) + 1);
    if (from == to) return put(from, i, copy(seen, kept));
    const auto before = [&](int r, int n, int peer, action what) {
        return std::count_if(list(r).begin(), list(r).begin() + n,
                             [&](const step& s) { return s.what == what && s.peer == peer; });
    };
    std::vector<int> possible; // where as many messages have come before as have gone
    for (int j = 0; j <= static_cast<int>(list(to).size()); ++j)
        if (before(to, j, from, action::receive) == before(from, i, to, action::send)) possible.push_back(j);
    if (possible.empty()) return;
    put(to, possible[static_cast<std::size_t>(m.below(static_cast<int>(possible.size())))], receive(from, kept));
    put(from, i, send(to, seen));
}

/// All operands in the other order: what all ranks had the same, they have the same still.
void turn_all(program& p) {
    for (auto& steps : p.ranks)
        for (step& s : steps) s.other = s.other == side::left ? side::right : side::left;
}

} // namespace

TEST_CASE("verify and an independent executor agree on programs that nobody would write") {
    outcome seen;
    each_case(10'000, [&](unsigned seed) { judge(random_program(seed).write(), seed, seen); });
    INFO(seen.right << " right, " << seen.wrong << " wrong");
    CHECK((seen.right > seen.wrong / 5 && seen.wrong > seen.right / 5)); // else all of this would show nothing
}

TEST_CASE("verify and an independent executor agree on random programs and real ones with up to three mutations") {
    outcome seen;
    each_case(5'000, [&](unsigned seed) {
        mutator m(seed);
        const bool real = m.below(2) == 0;
        program p = real ? m.schedule() : random_program(seed).write();
        p.parts.clear(); // these are of the list before it was changed
        for (int changes = 1 + m.below(3); changes > 0; --changes) {
            int kind = m.below(static_cast<int>(kinds.size()));
            if (kind == operands_kind) kind = 0; // it needs a step that has some
            if (p.ranks != std::vector<std::vector<step>>(p.ranks.size())) m.mutate(p, kind);
        }
        judge(p, seed, seen);
    });
    INFO(seen.right << " right, " << seen.wrong << " wrong");
    CHECK((seen.right > seen.wrong / 50 && seen.wrong > 0));
}

TEST_CASE("what is proven in both modes is right whichever mode each rank is in") {
    int proven = 0, refused_alone = 0, wrong_mixed = 0, answers = 0;
    each_case(4'000, [&](unsigned seed) {
        mutator m(seed);
        program apart = m.below(2) == 0 ? m.schedule() : random_program(seed).write();
        apart.in_place = false;
        program in_place = apart;
        in_place.in_place = true;
        for (int changes = m.below(3); changes > 0; --changes) m.mutate(m.below(2) == 0 ? apart : in_place, 2);
        if (m.below(2) == 0) turn_all(in_place);
        if (!verify(apart).proven || !verify(in_place).proven) return;
        const proof found = verify_modes(apart, in_place);
        for (int tries = 0; tries < 4; ++tries) {
            std::vector<bool> modes;
            program mixed = apart;
            for (int r = 0; r < apart.size; ++r) {
                modes.push_back(m.below(2) == 0);
                if (modes.back())
                    mixed.ranks[static_cast<std::size_t>(r)] = in_place.ranks[static_cast<std::size_t>(r)];
            }
            const std::string opinion = oracle(mixed, seed, modes).judge();
            INFO("verify_modes says " << found.message() << ", the second opinion is " << opinion);
            INFO(listing(apart) << "\n" << listing(in_place));
            if (found.proven) REQUIRE(opinion.empty());
            oracle answering(mixed, seed, modes);
            if (apart.what == operation::allreduce) answering.answer_in_place();
            if (found.proven) REQUIRE(answering.judge().empty());
            answers += answering.answered();
            wrong_mixed += opinion.empty() ? 0 : 1;
        }
        ++(found.proven ? proven : refused_alone);
    });
    INFO(proven << " proven, " << refused_alone << " refused as a pair, " << wrong_mixed << " mixtures found wrong");
    CHECK((proven > 50 && refused_alone > 5 && wrong_mixed > 5 && answers > 5));
}

TEST_CASE("what is proven stays right when the messages of any ranks are packed, or parts are messages of their own") {
    int joined = 0;
    each_case(6'000, [&](unsigned seed) {
        mutator m(seed);
        const program p = m.below(3) == 0 ? m.schedule() : random_program(seed).write();
        if (std::none_of(p.ranks.begin(), p.ranks.end(), has_joined) || !verify(p).proven) return;
        program some = p;
        for (auto& steps : some.ranks)
            if (m.below(3) > 0) steps = packed(steps);
        for (const program& q : {some, unjoined(p), unjoined(some)}) {
            INFO(listing(p) << "\n" << listing(q));
            const proof found = verify(q);
            REQUIRE(found.message() == "proven");
            REQUIRE(found.preserves_order == verify(p).preserves_order);
            REQUIRE(oracle(q, seed).judge().empty());
        }
        ++joined;
    });
    INFO(joined << " with joined steps");
    CHECK(joined > effort(500));
}

TEST_CASE("what is proven stays right, bit by bit, when answers are written to where their operands lie") {
    int programs = 0, answers = 0;
    each_case(12'000, [&](unsigned seed) {
        mutator m(seed);
        program p = m.below(2) == 0 ? m.schedule() : random_program(seed).write();
        if (p.what != operation::allreduce) return;
        for (int swaps = m.below(3); swaps > 0; --swaps) m.mutate(p, 2);
        p.parts.clear();
        for (int spies = m.below(6); spies > 0; --spies) spy(p, m, 20 + spies);
        if (!verify(p).proven) return;
        for (unsigned again = 0; again < 3; ++again) {
            const auto messages = again == 2 ? oracle::waiting::in_buffers : oracle::waiting::nowhere;
            oracle second(p, seed + again, {}, messages);
            second.answer_in_place();
            const std::string opinion = second.judge();
            INFO("the second opinion is " << opinion);
            INFO(listing(p));
            REQUIRE(opinion.empty());
            answers += second.answered();
        }
        ++programs;
    });
    INFO(programs << " proven, " << answers << " answers without data");
    CHECK((programs > effort(500) && answers > effort(500)));
}

TEST_CASE("what is proven stays right, bit by bit, when the receive_reduces of any ranks are lowered") {
    int proven = 0, changed = 0;
    each_case(6'000, [&](unsigned seed) {
        mutator m(seed);
        const program p = m.below(2) == 0 ? m.schedule() : random_program(seed).write();
        if (!verify(p).proven) return;
        program some = p;
        some.parts.clear();
        some.segments = 1;
        for (auto& steps : some.ranks)
            if (m.below(3) > 0) steps = lowered(steps, p.in_place);
        const proof found = verify(some); // ranks that hold the same bits hold those of the ranks that were not lowered
        INFO("verify says " << found.message());
        INFO(listing(p) << "\n" << listing(some));
        REQUIRE(found.proven);
        REQUIRE(found.preserves_order == verify(p).preserves_order);
        for (unsigned again = 1; again <= 2; ++again) REQUIRE(oracle(some, seed + again).judge().empty());
        ++proven;
        changed += some.ranks == p.ranks ? 0 : 1;
    });
    INFO(proven << " proven, " << changed << " of them changed");
    CHECK((proven > effort(4'000) && changed > effort(1'500)));
}
