// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include <transport/contract/status_page.hpp>

#include <transport/control/status/image.hpp>

#include "support/catch.hpp"
#include "support/child.hpp"

#include <chrono>
#include <csignal>
#include <memory>
#include <random>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace status = tutti::transport::status;

namespace {

/// Details all of whose numbers follow from one.
status::details made_of(std::int64_t n) {
    status::details d;
    d.looked = n;
    d.stalled_since = 3 * n;
    d.under_way = static_cast<std::uint32_t>(n % 1000);
    for (std::size_t k = 0; k < d.calls.size(); ++k) {
        d.calls[k].request = static_cast<std::uint64_t>(n) + k;
        d.calls[k].peers.fill(static_cast<std::int32_t>(n % 77));
        d.calls[k].words.fill(static_cast<char>('a' + n % 26));
    }
    d.failure.fill(static_cast<char>('A' + n % 26));
    return d;
}
bool is_whole(const status::details& d) {
    const auto n = d.looked;
    bool good = d.stalled_since == 3 * n && d.under_way == n % 1000;
    for (std::size_t k = 0; k < d.calls.size(); ++k) {
        good = good && d.calls[k].request == static_cast<std::uint64_t>(n) + k;
        for (const auto p : d.calls[k].peers) good = good && p == n % 77;
        for (const char c : d.calls[k].words) good = good && c == static_cast<char>('a' + n % 26);
    }
    for (const char c : d.failure) good = good && c == static_cast<char>('A' + n % 26);
    return good;
}

/// What readers found while details were written again and again.
struct found {
    long whole = 0, torn = 0, missed = 0, backwards = 0;
};
template <class Place>
found read_while_written(Place& place, unsigned seed) {
    std::atomic<long> whole{0}, torn{0}, missed{0}, backwards{0};
    std::atomic<bool> stop{false};
    place.write(made_of(1));
    std::vector<std::thread> readers;
    for (int r = 0; r < 3; ++r)
        readers.emplace_back([&] {
            std::int64_t last = 0;
            while (!stop.load(std::memory_order_relaxed)) {
                status::details d;
                if (!place.read(d)) {
                    ++missed;
                    continue;
                }
                ++(is_whole(d) ? whole : torn);
                backwards += d.looked < last;
                last = d.looked;
            }
        });
    std::mt19937 random(seed);
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(400);
    for (std::int64_t n = 2; std::chrono::steady_clock::now() < end; n += 1 + random() % 1000) place.write(made_of(n));
    stop = true;
    for (auto& r : readers) r.join();
    return {whole, torn, missed, backwards};
}

} // namespace

TEST_CASE("details that are read while they are written are those of one moment, and never earlier than before") {
    constexpr unsigned seed = 20'261'124;
    CAPTURE(seed);
    const auto bank = std::make_unique<status::details_bank>();
    const auto board = std::make_unique<status::details_board>();
    const auto of_bank = read_while_written(*bank, seed), of_board = read_while_written(*board, seed + 1);
    for (const auto& f : {of_bank, of_board}) {
        CHECK(f.torn == 0);
        CHECK(f.backwards == 0);
        CHECK(f.whole > 0);
    }
    CHECK(of_bank.missed > 0); // or nothing was tried
}

TEST_CASE("a writer that is stopped or killed at any moment leaves details that can be read") {
    void* const where =
        ::mmap(nullptr, sizeof(status::details_board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    REQUIRE(where != MAP_FAILED);
    auto* const board = new (where) status::details_board;
    board->write(made_of(1));
    tutti::test::child writer([&] {
        for (std::int64_t n = 2;; ++n) board->write(made_of(n));
    });
    std::mt19937 random(7);
    int unreadable = 0, torn = 0;
    for (int k = 0; k < 60; ++k) {
        ::usleep(static_cast<useconds_t>(random() % 500));
        ::kill(writer.pid(), k < 59 ? SIGSTOP : SIGKILL);
        if (k < 59) ::waitpid(writer.pid(), nullptr, WUNTRACED);
        if (k == 59) CHECK(writer.end() == "signal 9");
        status::details d;
        unreadable += !board->read(d);
        torn += !is_whole(d);
        if (k < 59) ::kill(writer.pid(), SIGCONT);
    }
    CHECK(unreadable == 0);
    CHECK(torn == 0);
    ::munmap(where, sizeof(status::details_board));
}

TEST_CASE("the line counts the calls under way, and tells the last that started") {
    status::call_line line;
    line.begin(3, 41);
    line.begin(7, (std::uint64_t{1} << 40) - 1);
    CHECK((line.word.load() & status::call_line::count_mask) == 2);
    CHECK((line.word.load() >> 20 & 15) == 7);
    CHECK(line.word.load() >> 24 == (std::uint64_t{1} << 40) - 1);
    line.end();
    line.begin(status::messages_code, 0);
    line.end();
    line.end();
    CHECK((line.word.load() & status::call_line::count_mask) == 0);
}

TEST_CASE("each of the first peers has a row of its own, all others share one, and an image keeps them") {
    const auto page = std::make_unique<status::page>();
    page->head.rank = 2, page->head.size = 1000;
    for (int peer = 0; peer < 100; ++peer) page->row_of(peer).add(1, 8);
    page->row_of(5).add(2, 100);
    CHECK(&page->row_of(63) != &page->row_of(62));
    CHECK(&page->row_of(64) == &page->row_of(99));

    const auto copy = status::image_of(status::bytes_of(status::image_of(*page)));
    REQUIRE(copy);
    CHECK(copy->head.size == 1000);
    CHECK(copy->sent[5].peer == 6);
    CHECK(copy->sent[5].messages == 3);
    CHECK(copy->sent[5].bytes == 108);
    CHECK(copy->sent.back().messages == 36);
}

TEST_CASE("an image of few peers is short, and bytes of another length or layout are no image") {
    const auto page = std::make_unique<status::page>();
    page->row_of(1).add(1, 8);
    auto bytes = status::bytes_of(status::image_of(*page));
    CHECK(bytes.size() < 1500);
    const auto copy = status::image_of(bytes);
    REQUIRE(copy);
    CHECK(copy->sent[0].peer == 2);
    CHECK(copy->sent.back().messages == 0);
    CHECK_FALSE(status::image_of(std::span(bytes).first(bytes.size() - 1)));
    CHECK_FALSE(status::image_of(std::span(bytes).first(100)));
    bytes[0] ^= std::byte{1};
    CHECK_FALSE(status::image_of(bytes));
}
