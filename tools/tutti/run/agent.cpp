// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "agent.hpp"

#include "agent_frames.hpp"
#include "agent_orders.hpp"
#include "guarded.hpp"
#include "kept_port.hpp"
#include "local_crew.hpp"
#include "outlet.hpp"
#include "rank_output.hpp"
#include "signals.hpp"
#include "spawn.hpp"

#include <transport/join/host.hpp>
#include <transport/join/names.hpp>
#include <transport/sockets/wait_ready.hpp>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

namespace tutti::tools {
namespace {

/// The output of ranks as frames.
class framed_output final : public rank_output {
public:
    explicit framed_output(int to) noexcept : out(to) {}
    [[nodiscard]] bool ready(channel) const override { return out.empty(); }
    void take(int rank, channel from, std::string_view piece) override {
        send(from == channel::output ? agent_frame::kind::output : agent_frame::kind::error, rank, piece);
    }
    void finish(int rank, channel from) override {
        send(from == channel::output ? agent_frame::kind::finished_output : agent_frame::kind::finished_error, rank);
    }
    void send(agent_frame::kind what, int rank = -1, std::string_view text = {}) { out.add(encoded(what, rank, text)); }

    outlet out;
};

void enter(const std::string& directory) {
    if (chdir(directory.c_str()) != 0)
        throw std::runtime_error(fmt::format("cannot go to the folder {}: {}", directory, std::strerror(errno)));
}

/// Ranks that cannot know where to meet would only find out at the end of their bootstrap timeout.
void require_known(const std::string& address) {
    const auto where = transport::bootstrap::parse_endpoint(address, "the address");
    std::string why;
    if (transport::bootstrap::resolve(where.host, where.port, why,
                                      transport::clock::now() + transport::bootstrap::longest_look_up)
            .empty())
        throw std::runtime_error(fmt::format("it does not know rank 0's host {}: {}; give a name or an address "
                                             "that all hosts know, by --address",
                                             where.host, why));
}

class agent {
public:
    int run() {
        told_.out.add(agent_greeting);
        told_.send(agent_frame::kind::hello, -1,
                   agent_hello{transport::bootstrap::host_name(), port_.number()}.packed());
        while (!over()) {
            look();
            hear();
            tell();
        }
        return lost_ ? 1 : 0;
    }

private:
    [[nodiscard]] bool over() const {
        return lost_ ? !ranks_ || ranks_->running() == 0 : finished_ && told_.out.empty();
    }

    void look() {
        waiting_ = {{signals_.get(), POLLIN, 0},
                    {lost_ ? -1 : STDIN_FILENO, POLLIN, 0},
                    {told_.out.empty() ? -1 : told_.out.get(), POLLOUT, 0}};
        const std::size_t first = waiting_.size();
        if (ranks_) ranks_->wait_for(waiting_);
        using when = transport::clock::time_point;
        transport::bootstrap::wait_ready(waiting_, ranks_ && ranks_->hasty() ? when{} : when::max());
        const bool spoken_to = waiting_[1].revents != 0;
        told_.out.flush();
        if (ranks_) ranks_->serve(std::span(waiting_).subspan(first));
        if (spoken_to) listen();
        if (told_.out.take_error() != 0) lose();
    }

    void hear() {
        while (const int number = signals_.next()) {
            if (number != SIGCHLD)
                lose();
            else if (ranks_)
                ranks_->reap();
        }
    }

    void tell() {
        if (!ranks_ || finished_) return;
        for (const ending& e : ranks_->take_endings())
            told_.send(e.how == ending::way::exited ? agent_frame::kind::exited : agent_frame::kind::signalled, e.rank,
                       packed_number(e.number));
        if (ranks_->running() > 0 || ranks_->unfinished()) return;
        told_.send(agent_frame::kind::done);
        finished_ = true;
    }

    // Nobody is there any more for whom the ranks run.
    void lose() {
        lost_ = true;
        told_.out.drop();
        if (ranks_) ranks_->signal(SIGKILL);
    }

    void listen() {
        std::array<char, 65536> piece;
        const ssize_t got = read(STDIN_FILENO, piece.data(), piece.size());
        if (got < 0 && (errno == EINTR || errno == EAGAIN)) return;
        if (got <= 0) return lose();
        frames_.take({piece.data(), static_cast<std::size_t>(got)});
        try {
            while (const auto f = frames_.next()) obey(*f);
        } catch (const std::invalid_argument&) {
            return lose();
        }
        if (frames_.broken()) lose();
    }

    void obey(const agent_frame& f) {
        if (f.what == agent_frame::kind::signal && ranks_)
            ranks_->signal(unpacked_number(f.text, 64));
        else if (f.what == agent_frame::kind::start && !ranks_ && !finished_)
            start(f.text);
    }

    void start(const std::string& text) try {
        const agent_orders o = agent_orders::unpacked(text);
        enter(o.directory);
        require_known(o.address);
        options_.command = o.command;
        options_.environment = o.environment;
        options_.ranks = o.size;
        options_.bind = binding(o.bind);
        ranks_.emplace(options_, o.ranks, meeting_point{o.address, o.secret}, told_);
        ranks_->start();
    } catch (const cannot_execute& e) {
        refuse(e.exit_status(), e.what());
    } catch (const std::exception& e) {
        refuse(1, e.what());
    }

    void refuse(int status, const char* why) {
        ranks_.reset();
        told_.send(agent_frame::kind::unable, status, why);
        finished_ = true;
    }

    signal_source signals_;
    kept_port port_{kept_port::on::all_interfaces};
    framed_output told_{STDOUT_FILENO};
    agent_frame_reader frames_{true};
    launch_options options_;
    std::optional<local_crew> ranks_;
    std::vector<pollfd> waiting_;
    bool finished_ = false; // all has been said
    bool lost_ = false;
};

} // namespace

int run_agent() {
    if (isatty(STDIN_FILENO) != 0) {
        fmt::print(stderr, "tutti run --hosts starts tutti run-agent on each host; by itself it is of no use\n");
        return 2;
    }
    return guarded([] { return agent{}.run(); });
}

} // namespace tutti::tools
