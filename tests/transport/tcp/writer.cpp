// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include <transport/fabrics/tcp/writer.hpp>

#include "support/catch.hpp"

#include <deque>
#include <random>

using namespace tutti::transport;
using namespace tutti::transport::detail::tcp;

namespace {

using bytes = std::vector<std::byte>;

/// Messages of random content, and what is to be on the wire for them.
struct outgoing_mail {
    std::deque<bytes> data;
    std::deque<transfer> transfers;
    transfer_queue done;
    bytes expected;

    fragment add(std::size_t size, context where = {1, 0}) {
        auto& content = data.emplace_back(size);
        for (auto& b : content) b = static_cast<std::byte>(data.size() * 31 + expected.size());
        auto& x = transfers.emplace_back();
        x.from = content.data();
        x.bytes = size;
        x.owner = &done;
        fragment f{{}, &x, content.data()};
        f.head.where = where;
        f.head.bytes = static_cast<std::uint32_t>(size);
        f.head.length = size;
        frame_image image{};
        encode(f.head, image);
        expected.insert(expected.end(), image.begin(), image.end());
        expected.insert(expected.end(), content.begin(), content.end());
        return f;
    }
};

/// Writes up to `most` bytes of what the writer has.
bytes write_some(writer& w, std::size_t most) {
    bytes out;
    const auto pieces = w.gather();
    for (std::size_t i = 0; i < pieces.count; ++i) {
        const auto piece = pieces.list[i].first(std::min(pieces.list[i].size(), most - out.size()));
        out.insert(out.end(), piece.begin(), piece.end());
    }
    w.written(out.size());
    return out;
}

} // namespace

TEST_CASE("frames leave whole and in order, wherever writes stop") {
    std::mt19937 random{11};
    for (int round = 0; round < 50; ++round) {
        outgoing_mail mail;
        writer w;
        bytes wire;
        for (int i = 0; i < 100 || !w.empty();) {
            if (i < 100 && !w.full() && random() % 2 == 0) {
                w.push(mail.add(random() % 3 == 0 ? 0 : random() % 300));
                ++i;
            }
            const auto some = write_some(w, random() % 200);
            wire.insert(wire.end(), some.begin(), some.end());
        }
        REQUIRE(wire == mail.expected);
        for (auto& x : mail.transfers) REQUIRE(mail.done.pop() == &x);
    }
}

TEST_CASE("a send is complete when its last byte is out, and counts what is out") {
    outgoing_mail mail;
    writer w;
    w.push(mail.add(100));
    write_some(w, frame_bytes + 99);
    CHECK(mail.transfers[0].status == transfer_status::pending);
    CHECK(mail.transfers[0].moved == 99);
    write_some(w, 1);
    CHECK(mail.transfers[0].status == transfer_status::done);
    CHECK(w.empty());
}

TEST_CASE("a message on two lanes is complete when both are done") {
    outgoing_mail mail;
    writer one;
    writer two;
    auto first = mail.add(100);
    auto second = first;
    first.head.bytes = 60;
    second.head.bytes = 40;
    second.head.offset = 60;
    second.payload += 60;
    one.push(first);
    two.push(second);
    write_some(two, 1000);
    CHECK(mail.transfers[0].status == transfer_status::pending);
    write_some(one, 1000);
    CHECK(mail.transfers[0].status == transfer_status::done);
}

TEST_CASE("a writer takes no more than it should") {
    outgoing_mail mail;
    writer w;
    w.push(mail.add(writer::enough_bytes));
    CHECK(w.full());
    writer small;
    for (std::size_t i = 0; i < writer::max_frames; ++i) {
        CHECK_FALSE(small.full());
        small.push(mail.add(1));
    }
    CHECK(small.full());
}

TEST_CASE("what was abandoned goes out as it was, without its memory, and completes nothing") {
    outgoing_mail mail;
    writer w;
    w.push(mail.add(100, {1, 0}));
    w.push(mail.add(100, {2, 0}));
    w.push(mail.add(100, {1, 0}));
    auto wire = write_some(w, 80);
    const auto expected = mail.expected;
    w.abandon({1, 0});
    mail.data[0].assign(100, std::byte{0xee});
    mail.data[2].assign(100, std::byte{0xee});
    const auto rest = write_some(w, 1000);
    wire.insert(wire.end(), rest.begin(), rest.end());
    CHECK(wire == expected);
    CHECK(mail.done.pop() == &mail.transfers[1]);
    CHECK(mail.done.empty());
    CHECK(mail.transfers[0].moved == 80 - frame_bytes);
}
