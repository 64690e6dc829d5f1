// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// A status page as another process has left it, an image of one as another rank has sent it, and a rank's answers to
// surveys.
//
// Invariants: what is told is within bounds, with ranks of its world and printable text alone; an image that is read is
// written again as the same bytes; what a survey keeps and reports is bounded.

#include <transport/control/status/reading.hpp>
#include <transport/control/survey.hpp>

#include "input.hpp"

#include <memory>

using namespace tutti::transport;
using namespace tutti::fuzz;

namespace {

bool is_printable(const std::string& text) {
    return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x20; });
}

void judge(const status::image& i) {
    const auto told = status::told_by(i);
    if (!told) return;
    const auto is_rank = [&](int r) { return r >= 0 && r < told->size; };
    demand(is_rank(told->rank) && told->size <= status::most_ranks, "it is a rank of its world");
    demand(told->calls.size() <= 4 && told->sent.size() <= status::counted_peers + 1, "lists are bounded");
    for (const auto& c : told->calls) {
        demand(std::all_of(c.peers.begin(), c.peers.end(), is_rank), "it waits for ranks of its world");
        demand(c.peers.size() <= 8 && is_printable(c.words), "peers are few, and words are text");
    }
    for (const auto& t : told->sent) demand(t.peer == -1 || is_rank(t.peer), "it has sent to ranks of its world");
    for (const auto* s : {&told->host, &told->zero_host, &told->command, &told->failure})
        demand(is_printable(*s), "texts are text");
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    input in(data, size);
    const bool is_image = in.flag();
    const auto rest = in.rest();
    if (is_image) {
        const auto i = status::image_of(rest);
        if (!i) return 0;
        judge(*i);
    } else {
        const auto page = std::make_unique<status::page>();
        std::memcpy(static_cast<void*>(page.get()), rest.data(), std::min(rest.size(), sizeof(status::page)));
        judge(status::image_of(*page));
    }
    const auto now = clock::now();
    bootstrap::survey s({0, 0, 1});
    static_cast<void>(s.begin(now, [](int) { return true; }));
    input again(data, size);
    for (int k = 0; k < 8; ++k) {
        notice n;
        n.kind = notice_kind::state;
        n.rank = static_cast<int>(again.below(256)) - 2;
        n.step = static_cast<std::int64_t>(again.number<std::uint64_t>());
        const auto page = again.bytes(again.below(20'000));
        n.text.assign(text_of(page));
        s.take(static_cast<int>(again.below(3)), n, now);
        static_cast<void>(s.due(now + bootstrap::survey::first_words));
    }
    const std::vector<bootstrap::member> members(3);
    const auto report = s.report(
        1, members, [](int) { return bootstrap::standing::present; }, now);
    demand(report.size() <= 3 * (bootstrap::max_page_bytes + 64) + 64, "a report is bounded");
    return 0;
}
