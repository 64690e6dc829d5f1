// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// What a peer of this host writes into its segment: the directory of its lanes, and the slots of a lane. This rank
// receives between its writes. (A peer that shortens its files, or changes a slot after it was published, can end this
// process; but one that may do that runs as the same user, and could do so anyway.)
//
// Invariants: nothing is read beyond the segment, nothing written but the memory of receives; what is complete is
// whole; what makes no sense ends the channel.

#include <transport/fabrics/shared_memory/inbox.hpp>
#include <transport/fabrics/shared_memory/own_segment.hpp>
#include <transport/fabrics/shared_memory/symmetric_heap.hpp>

#include "input.hpp"

#include <cstring>
#include <list>

using namespace tutti::transport;
using namespace tutti::transport::detail::shm;
using namespace tutti::fuzz;

namespace {

void maximum(std::byte* to, const std::byte* left, const std::byte* right, std::size_t n, const void*) {
    for (std::size_t i = 0; i < 4 * n; ++i) to[i] = std::max(left[i], right[i]);
}
const tutti::reducer of_four{&maximum, nullptr, 4, nullptr};

/// The peer, which is this process too. It lives as long as the process.
struct other_rank {
    own_segment segment;
    std::shared_ptr<symmetric_heap> heap = std::make_shared<symmetric_heap>(segment.top().symmetric);
    std::shared_ptr<std::byte> memory = heap->allocate(64 * 1024);
    std::uint64_t region = heap->region_of(memory.get(), 1);
    peer seen{described(), card{segment.file(), segment.key()}, 0};
    own_segment::handle way{};
    std::array<std::byte, 256> directory_begins{}; // nothing behind it is ever written
    std::array<std::byte, sizeof(directory::entry)> entry_was{};

    /// The one lane, as if it had never been used.
    void open_lane(context k) {
        way = segment.add_lane(k, 0);
        std::memcpy(directory_begins.data(), &segment.top().lanes, directory_begins.size());
        std::memcpy(entry_was.data(), way->where, entry_was.size());
    }
    void close_lane() {
        std::memcpy(static_cast<void*>(&segment.top().lanes), directory_begins.data(), directory_begins.size());
        std::memcpy(static_cast<void*>(way->where), entry_was.data(), entry_was.size());
        segment.top().lanes.close(*way->where);
        segment.close(way);
    }

private:
    [[nodiscard]] bootstrap::member described() const {
        bootstrap::member m;
        m.rank = 1;
        m.pid = ::getpid();
        return m;
    }
};

struct receive {
    std::unique_ptr<std::byte[]> to; // of its length exactly
    transfer x;
};

class conversation {
public:
    conversation(input& in, other_rank& other) : in_(in), other_(other) {
        other.open_lane(where_);
        if (in.flag()) scribble();
        inbox_.emplace(where_, 0, other.seen, landing_, costs_);
    }
    ~conversation() {
        static_cast<void>(inbox_->close());
        other_.close_lane();
    }

    void run() {
        for (int step = 0; step < 200 && !in_.empty(); ++step) {
            switch (in_.below(8)) {
            case 0: post(); break;
            case 1: look(); break;
            case 2: scribble(); break;
            case 3:
            case 4: inbox_->advance(); break;
            default: write(); break;
            }
            static_cast<void>(inbox_->ask());
        }
        inbox_->advance();
        for (const receive& r : receives_) {
            demand(r.x.moved <= r.x.bytes || r.x.status == transfer_status::mismatched,
                   "no more is delivered than there is room for");
            demand(r.x.status != transfer_status::done || r.x.moved == r.x.bytes, "what is complete is whole");
        }
    }

private:
    [[nodiscard]] std::size_t length() {
        constexpr std::array<std::size_t, 6> lengths{0, 8, 216, 220, room::most_bytes, 40'000};
        return lengths[in_.below(lengths.size())];
    }

    void post() {
        receive& r = receives_.emplace_back();
        r.x.bytes = length();
        r.to = std::make_unique<std::byte[]>(r.x.bytes);
        r.x.to = r.to.get();
        r.x.owner = &done_;
        const auto how = in_.below(4);
        r.x.may_view = how == 1;
        if (how == 2) {
            r.x.from = r.x.to;
            r.x.reduce = &of_four;
        }
        inbox_->receive(r.x);
    }

    /// Reads what the first of the complete receives has left where it lies.
    void look() {
        transfer* const x = done_.pop();
        if (!x || !x->viewed || !inbox_->broken().empty()) return;
        if (const std::byte* const there = inbox_->look(*x)) {
            unsigned sum = 0;
            for (std::size_t i = 0; i < x->bytes; ++i) sum += std::to_integer<unsigned>(there[i]);
            static_cast<volatile unsigned&>(sum_) = sum;
        }
        static_cast<void>(inbox_->release());
    }

    /// The peer fills its next slot: well, or with fields of no sense.
    void write() {
        slot& s = other_.way->data->at(turn_);
        if (!s.flag.is_free()) return;
        ++turn_;
        s.message_bytes = in_.below(8) == 0 ? number() : length();
        s.part_bytes = static_cast<std::uint32_t>(
            in_.below(8) == 0 ? number() : std::min<std::size_t>(s.message_bytes - sent_, room::most_bytes));
        sent_ = sent_ + s.part_bytes < s.message_bytes ? sent_ + s.part_bytes : 0;
        s.signature = in_.below(16) == 0;
        s.lent = 0;
        s.region = in_.below(8) == 0 ? number() : in_.below(lane::slot_count); // the first block is one of rooms
        const auto how = in_.below(8);
        if (how == 0 || how == 1) lend(s);
        if (how == 2) s.lent = number(), s.region = number();
        static_cast<void>(s.flag.publish());
    }
    void lend(slot& s) {
        s.lent = reinterpret_cast<std::uintptr_t>(other_.memory.get()) + (in_.flag() ? number() : 0);
        s.region = in_.flag() ? other_.region : 0;
        sent_ = 0;
    }
    [[nodiscard]] std::uint64_t number() { return in_.number<std::uint64_t>() >> in_.below(64); }

    /// Other bytes somewhere at the beginning of the directory, or in the lane's entry.
    void scribble() {
        const bool in_entry = in_.flag();
        const std::size_t at = in_.below(in_entry ? entry_bytes - 32 : 200);
        const auto bytes = in_.bytes(in_.below(32));
        std::byte* const to = in_entry ? reinterpret_cast<std::byte*>(other_.way->where)
                                       : reinterpret_cast<std::byte*>(&other_.segment.top().lanes);
        std::memcpy(to + at, bytes.data(), bytes.size());
    }

    static constexpr std::size_t entry_bytes = sizeof(directory::entry);

    input& in_;
    other_rank& other_;
    context where_{1, 1};
    std::vector<std::byte> landing_;
    copy_costs::as_receiver own_costs_{};
    copy_costs costs_{own_costs_};
    std::list<receive> receives_;
    transfer_queue done_;
    std::optional<inbox> inbox_;
    std::uint32_t turn_ = 0;
    std::size_t sent_ = 0;
    unsigned sum_ = 0;
};

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static other_rank other;
    input in(data, size);
    conversation(in, other).run();
    return 0;
}
