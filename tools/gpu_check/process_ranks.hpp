// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <transport/contract/fabric.hpp>
#include <transport/join/own_allotment.hpp>
#include <transport/sockets/socket.hpp>
#include <transport/sockets/wait_ready.hpp>
#include <transport/world/backoff.hpp>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

/// Ranks that are processes of this program, without a rendezvous: their parent, which never touches CUDA, has a socket
/// to each and hands round what they say of themselves.
namespace tutti::gpu_check {

/// Who a rank is, and its socket to the parent.
struct seat {
    int rank = 0, size = 1, line = -1;
};

namespace detail {

inline void put(int line, std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const auto some = ::write(line, bytes.data(), bytes.size());
        if (some <= 0) throw std::runtime_error("the line between a rank and its parent is broken");
        bytes = bytes.subspan(static_cast<std::size_t>(some));
    }
}
inline void get(int line, std::span<std::byte> bytes) {
    while (!bytes.empty()) {
        const bool comes =
            transport::bootstrap::wait_ready(line, POLLIN, transport::clock::now() + std::chrono::seconds(30));
        const auto some = comes ? ::read(line, bytes.data(), bytes.size()) : 0;
        if (some <= 0) throw std::runtime_error("the line between a rank and its parent is broken");
        bytes = bytes.subspan(static_cast<std::size_t>(some));
    }
}

/// What a rank says of itself: its process, and the card of its fabric.
struct word_of_rank {
    std::int64_t process = 0;
    std::uint64_t bytes = 0;
    std::array<std::byte, 256> card{};
};
template <class T>
[[nodiscard]] std::span<std::byte> bytes_of(T& x) {
    return std::as_writable_bytes(std::span(&x, 1));
}

} // namespace detail

namespace detail {

/// A rank's process, and the parent's end of its line.
struct started_rank {
    int rank;
    pid_t process;
    transport::bootstrap::descriptor line;
};

/// Runs this program once more, with these words and its seat as arguments.
inline started_rank start_rank(const char* program, std::vector<std::string> words, int rank, int size) {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) != 0) throw std::runtime_error("no pair of sockets");
    transport::bootstrap::descriptor mine{ends[0]};
    const transport::bootstrap::descriptor its{ends[1]};
    ::fcntl(mine.get(), F_SETFD, FD_CLOEXEC);
    words.insert(words.begin(), program);
    for (const int n : {rank, size, its.get()}) words.push_back(std::to_string(n));
    std::vector<char*> arguments;
    for (auto& w : words) arguments.push_back(w.data());
    arguments.push_back(nullptr);
    const pid_t child = ::fork();
    if (child < 0) throw std::runtime_error("no process");
    if (child == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        ::execv("/proc/self/exe", arguments.data());
        ::_exit(127);
    }
    return {rank, child, std::move(mine)};
}

/// Tells every rank what all say of themselves. False: one has ended, and has said why.
inline bool hand_round(const std::vector<started_rank>& ranks) {
    try {
        std::vector<word_of_rank> said(ranks.size());
        for (std::size_t r = 0; r < said.size(); ++r) get(ranks[r].line.get(), bytes_of(said[r]));
        for (const started_rank& r : ranks) put(r.line.get(), std::as_bytes(std::span(said)));
        return true;
    } catch (const std::exception&) {
        return false;
    }
}

} // namespace detail

/// Starts so many ranks of this program, each with its seat as further arguments, and returns 0 if all have ended well
/// in time. When one fails the others are ended. The `victim` may be killed, if there is one.
inline int lead_ranks(const char* program, int size, const std::vector<std::string>& words, std::chrono::seconds time,
                      int victim = -1) {
    std::vector<detail::started_rank> running;
    for (int rank = 0; rank < size; ++rank) running.push_back(detail::start_rank(program, words, rank, size));
    bool good = detail::hand_round(running);
    const auto until = std::chrono::steady_clock::now() + time;
    while (!running.empty()) {
        good = good && std::chrono::steady_clock::now() < until;
        std::erase_if(running, [&](const detail::started_rank& r) {
            if (!good) ::kill(r.process, SIGKILL);
            int status = 0;
            if (::waitpid(r.process, &status, WNOHANG) != r.process) return false;
            const bool ended_well = WIFEXITED(status) && WEXITSTATUS(status) == 0;
            good = good && (ended_well || (r.rank == victim && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL));
            return true;
        });
        std::this_thread::sleep_for(std::chrono::milliseconds{2});
    }
    return good ? 0 : 1;
}

/// The seat of this process, which start_rank() has put behind the program's own words; none: it leads.
[[nodiscard]] inline std::optional<seat> seat_in(const std::vector<std::string>& words) {
    const auto is_number = [](const std::string& w) {
        return !w.empty() && w.find_first_not_of("0123456789") == std::string::npos;
    };
    if (words.size() < 3 || !is_number(words.back())) return std::nullopt;
    const auto number = [&](std::size_t from_end) { return std::stoi(words[words.size() - from_end]); };
    return seat{number(3), number(2), number(1)};
}

/// The transport of such ranks: one fabric, and no control plane. Faults are not told; who waits in vain is ended by
/// the parent.
template <class Described>
class process_transport {
    using fabric_type = typename Described::fabric;

public:
    using channel = typename Described::channel;
    static constexpr transport::medium near = Described::between, far = near;

    process_transport(const seat& where, const typename Described::limits& how)
        : where_(where), fabric_(std::make_unique<fabric_type>(how)) {
        fabric_->sleep_by_descriptor();
        detail::word_of_rank mine;
        const auto card = fabric_->card();
        mine.process = ::getpid();
        mine.bytes = card.size();
        std::copy(card.begin(), card.end(), mine.card.begin());
        detail::put(where_.line, detail::bytes_of(mine));
        std::vector<detail::word_of_rank> all(static_cast<std::size_t>(where_.size));
        detail::get(where_.line, std::as_writable_bytes(std::span(all)));
        const auto shared = transport::bootstrap::own_allotment(); // the parent binds no rank
        transport::bootstrap::world_table table;
        for (int r = 0; r < where_.size; ++r) {
            const auto& word = all[static_cast<std::size_t>(r)];
            transport::bootstrap::member m;
            m.rank = r;
            m.size = where_.size;
            m.host_id = "this one";
            m.may_use = shared;
            m.pid = word.process;
            const auto bytes = std::span(word.card).first(word.bytes);
            m.cards.push_back({Described::name, {bytes.begin(), bytes.end()}});
            table.members.push_back(m);
        }
        crowded_ = table.crowded(where_.rank);
        pause_ = transport::backoff(crowded_);
        fabric_->join({where_.rank, 0, table});
    }
    process_transport(process_transport&&) = default;
    ~process_transport() {
        if (fabric_) fabric_->finish();
    }

    [[nodiscard]] int rank() const noexcept { return where_.rank; }
    [[nodiscard]] int size() const noexcept { return where_.size; }
    [[nodiscard]] static int node(int) noexcept { return 0; }
    [[nodiscard]] bool crowded() const noexcept { return crowded_; }
    [[nodiscard]] bool is_on_device(const std::byte* p) const { return fabric_->is_on_device(p); }
    [[nodiscard]] std::shared_ptr<std::byte> allocate(std::size_t bytes) const { return fabric_->allocate(bytes); }
    void register_memory(std::byte* p, std::size_t bytes) const
        requires requires(fabric_type& f) { f.register_memory(p, bytes); }
    {
        fabric_->register_memory(p, bytes);
    }

    channel& open(transport::context k, int peer) { return *fabric_->open(k, peer); }
    void send(channel& c, transport::transfer& x) {
        pause_.news();
        fabric_->send(c, x);
    }
    void receive(channel& c, transport::transfer& x) {
        pause_.news();
        fabric_->receive(c, x);
    }
    void close(transport::context k) { fabric_->close(k); }
    bool progress() {
        const bool moved = fabric_->progress();
        if (moved) pause_.news();
        return moved;
    }
    void wait(transport::clock::time_point until) {
        pause_.begin();
        while (pause_.rest())
            if (fabric_->ready()) return;
        until = std::min({until, fabric_->due(), transport::clock::now() + std::chrono::milliseconds{10}});
        if (!fabric_->arm()) transport::bootstrap::wait_ready(fabric_->descriptor(), POLLIN, until);
        fabric_->disarm();
        pause_.woke();
    }
    void wake() noexcept {} // nobody else drives, and a wait is short

    void tell(const transport::notice&) {}
    [[nodiscard]] bool fetch(transport::notice&) noexcept { return false; }
    [[nodiscard]] std::optional<std::string> broken(int peer) { return fabric_->broken(peer); }
    [[nodiscard]] std::optional<std::string> shortage(int) { return fabric_->shortage(); }
    [[nodiscard]] static transport::peer_name name_of(int) { return {}; }

private:
    seat where_;
    std::unique_ptr<fabric_type> fabric_;
    bool crowded_ = false;
    transport::backoff pause_{false};
};

} // namespace tutti::gpu_check
