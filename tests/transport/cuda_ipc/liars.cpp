// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "exchange.hpp"

#include <transport/fabrics/cuda_ipc/fabric.hpp>
#include <transport/fabrics/shared_memory/described.hpp>
#include <transport/fabrics/shared_memory/fabric.hpp>
#include <transport/fabrics/tcp/fabric.hpp>
#include <transport/world/world.ipp>

#include "fault/victims.hpp"

#include <cstring>

using namespace tutti;
using namespace tutti::test;

/// Peers whose records do not tell the truth. A rank of shared memory passes for one of CUDA IPC, and plays them.
namespace {

namespace cuda = transport::detail::cuda;

struct disguised_fabric : transport::shared_memory_fabric {
    static constexpr const char* name = fake_ipc_fabric::name;
};
using liar = transport::world<disguised_fabric>;

/// A message of host memory in parts, as an honest sender passes it on; one word of one record is changed.
struct lying_message {
    std::size_t size;
    std::vector<cuda::record> records;
    std::vector<std::size_t> payloads;

    lying_message(std::size_t whole, std::minstd_rand& random) : size(whole) {
        const std::size_t part = 1 + random() % size;
        for (std::size_t at = 0; at < size; at += part) {
            cuda::record r;
            r.what = part >= size ? cuda::record::kind::whole : cuda::record::kind::part;
            r.signature = courier<liar>::usual_signature;
            r.message_bytes = size;
            r.part_bytes = std::min(part, size - at);
            records.push_back(r);
            payloads.push_back(r.part_bytes);
        }
        cuda::record& lie = records[random() % records.size()];
        switch (random() % 4) {
        case 0: lie.what = static_cast<cuda::record::kind>(random() % 3); break;
        case 1: lie.part_bytes = random() % (2 * size); break;
        case 2: lie.message_bytes = random() % (2 * size); break;
        default: lie.part_bytes = ~std::uint64_t{random() % 3};
        }
    }
    /// The payloads are as long as they were to be, or as long as the record tells.
    void send(courier<liar>& c, transport::context k, const bytes& data, bool as_told) const {
        for (std::size_t i = 0; i < records.size(); ++i) {
            const cuda::record& r = records[i];
            c.send(k, 1, reinterpret_cast<const std::byte*>(&r), sizeof r, cuda::record_signature);
            const std::size_t told = r.what == cuda::record::kind::whole ? r.message_bytes : r.part_bytes;
            const std::size_t n = as_told ? std::min(told, data.size()) : payloads[i];
            if (n > 0) c.send(k, 1, data.data(), n, cuda::payload_signature);
        }
    }
};

constexpr std::size_t most_bytes = 3000;

/// Receives a message of one byte, as CUDA IPC sends it.
void await_word(courier<liar>& c) {
    cuda::record r;
    std::byte word{};
    c.receive({1, 0}, 1, reinterpret_cast<std::byte*>(&r), sizeof r, cuda::record_signature);
    c.finish(c.receive({1, 0}, 1, &word, 1, cuda::payload_signature), "the receiver has seen enough");
}

} // namespace

TEST_CASE("whatever the records of a sender say, nothing is written beside the receive's memory") {
    constexpr int trials = 300;
    const reserved_port at;
    processes each(2, [&](int rank, account& mine) {
        std::minstd_rand random(11);
        if (rank == 0) {
            liar t{identity(0, 2, at)};
            courier c{t};
            const bytes data(2 * most_bytes, std::byte{9});
            for (int i = 0; i < trials; ++i) {
                const lying_message m(1 + random() % most_bytes, random);
                const bool as_told = random() % 2 == 0;
                random();
                const transport::context k{static_cast<std::uint64_t>(i) + 2, 0};
                m.send(c, k, data, as_told);
                await_word(c);
                t.close(k);
            }
            return;
        }
        fake_ipc t{identity(1, 2, at)};
        std::byte word{};
        const auto no_slab = [](std::size_t) { return std::shared_ptr<std::byte>(); };
        for (int i = 0; i < trials; ++i) {
            const lying_message m(1 + random() % most_bytes, random);
            random();
            const place where = random() % 2 == 0 ? place::host : place::device;
            const placed_bytes all(no_slab, where, m.size + 2 * most_bytes);
            std::fill_n(all.there(), all.size(), std::byte{1});
            courier c{t};
            const transport::context k{static_cast<std::uint64_t>(i) + 2, 0};
            const auto& x = c.receive(k, 0, all.data() + most_bytes, m.size);
            const auto until = transport::clock::now() + 3ms;
            while (is_pending(x) && !t.broken(0) && transport::clock::now() < until) c.linger(100us);
            mine.calls.fetch_add(!is_pending(x) || t.broken(0), std::memory_order_relaxed);
            const std::byte* const there = all.there();
            const auto untouched = [](std::byte b) { return b == std::byte{1}; };
            expect(std::all_of(there, there + most_bytes, untouched), "nothing is written before it");
            expect(std::all_of(there + most_bytes + m.size, there + all.size(), untouched), "nor behind it");
            t.close(k);
            c.finish(c.send({1, 0}, 0, &word, 1), "the liar is told to go on");
        }
    });
    check_ended(each);
    CHECK(each.of(1).calls > trials / 2); // most lies are told, or do no harm
}

TEST_CASE("whatever a receiver writes into the records that it reads, messages are sent whole and in order") {
    constexpr std::size_t size = 5 << 20, messages = 8;
    const reserved_port at;
    processes each(2, [&](int rank, account&) {
        std::minstd_rand random(12);
        if (rank == 0) {
            fake_ipc t{identity(0, 2, at)};
            const auto no_slab = [](std::size_t) { return std::shared_ptr<std::byte>(); };
            const placed_bytes data(no_slab, place::device, size);
            courier c{t};
            for (std::size_t i = 0; i < messages; ++i) c.send({1, 0}, 1, data.data(), size - i);
            c.finish("all are read");
            return;
        }
        liar t{identity(1, 2, at)};
        auto& from = t.open({1, 0}, 0);
        courier c{t};
        std::vector<cuda::record> lent;
        const std::size_t parts = messages * (size / cuda::slab<fake_cuda>::unit + 1);
        while (lent.size() < parts) {
            cuda::record seen;
            transport::transfer x;
            transport::transfer_queue ended;
            x.to = reinterpret_cast<std::byte*>(&seen);
            x.bytes = sizeof seen;
            x.signature = cuda::record_signature;
            x.may_view = true;
            x.owner = &ended;
            t.receive(from, x);
            c.until([&] { return ended.pop() == &x; }, "a record comes");
            if (!x.viewed) continue; // of a message that is not lent
            auto* const there = reinterpret_cast<cuda::record*>(const_cast<std::byte*>(t.look(from, x)));
            seen = *there;
            auto* const words = reinterpret_cast<std::uint64_t*>(there);
            words[random() % 4] = random() % (2 * size);
            if (seen.what == cuda::record::kind::question)
                std::atomic_ref(there->answer).store(cuda::answer_to(seen.message_bytes, true));
            else
                lent.push_back(seen);
            expect(t.release(from, x), "the sender waits for it");
        }
        for (std::size_t i = 0; i < parts; ++i)
            expect(lent[i].message_bytes == size - i / (parts / messages), "records come in order");
    });
    check_ended(each);
}
