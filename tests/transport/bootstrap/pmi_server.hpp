// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <transport/join/launchers/pmi_wire.hpp>

#include <sys/socket.h>

#include <array>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>

namespace tutti::test {

/// A small server of PMI-1 in a thread, with a connection for each of some ranks. It ends when all of them are closed.
class pmi_server {
public:
    /// What to answer instead of the right thing; nothing: the right thing.
    using mischief = std::function<std::string(const std::string& line)>;

    explicit pmi_server(int ranks, mischief instead = {}) : instead_(std::move(instead)) {
        for (int r = 0; r < ranks; ++r) {
            std::array<int, 2> ends{};
            if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) throw std::bad_alloc();
            of_ranks_.push_back(ends[0]);
            own_.push_back(ends[1]);
        }
        heard_.resize(own_.size());
        thread_ = std::thread([this] { serve(); });
    }
    pmi_server(const pmi_server&) = delete;
    pmi_server& operator=(const pmi_server&) = delete;
    ~pmi_server() { stop(); }

    /// PMI_FD of a rank.
    [[nodiscard]] int descriptor(int rank) const { return of_ranks_[static_cast<std::size_t>(rank)]; }

    /// Closes all connections, and gives what each rank has said, a command a word.
    const std::vector<std::string>& stop() {
        if (!thread_.joinable()) return heard_;
        for (const int fd : of_ranks_) ::shutdown(fd, SHUT_RDWR);
        thread_.join();
        for (const int fd : of_ranks_) ::close(fd);
        for (const int fd : own_) ::close(fd);
        return heard_;
    }

private:
    void serve() {
        std::vector<std::string> pending(own_.size());
        for (std::size_t open = own_.size(); open > 0;) {
            std::vector<pollfd> all;
            for (std::size_t r = 0; r < own_.size(); ++r) all.push_back({ended_[r] ? -1 : own_[r], POLLIN, 0});
            ::poll(all.data(), all.size(), 1000);
            for (std::size_t r = 0; r < own_.size(); ++r) {
                char next = 0;
                if (all[r].revents == 0) continue;
                if (::read(own_[r], &next, 1) != 1) {
                    ended_[r] = true;
                    --open;
                } else if (next != '\n') {
                    pending[r] += next;
                } else {
                    take(r, pending[r]);
                    pending[r].clear();
                }
            }
        }
    }

    void take(std::size_t rank, const std::string& line) {
        using transport::bootstrap::detail::pmi::value_of;
        const auto command = value_of(line, "cmd").value_or("");
        const auto key = value_of(line, "key").value_or("");
        heard_[rank] += command + " ";
        if (const auto wrong = instead_ ? instead_(line) : std::string(); !wrong.empty()) return say(rank, wrong);
        if (command == "init") say(rank, "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0\n");
        if (command == "get_my_kvsname") say(rank, "cmd=my_kvsname kvsname=kvs_7_0\n");
        if (command == "put") values_[key] = value_of(line, "value").value_or("");
        if (command == "put") say(rank, "cmd=put_result rc=0 msg=success\n");
        if (command == "get")
            say(rank, values_.contains(key) ? "cmd=get_result rc=0 msg=success value=" + values_[key] + "\n"
                                            : "cmd=get_result rc=-1 msg=key_" + key + "_not_found\n");
        if (command == "finalize") say(rank, "cmd=finalize_ack\n");
        if (command == "barrier_in" && ++came_ == own_.size()) {
            came_ = 0;
            for (std::size_t r = 0; r < own_.size(); ++r) say(r, "cmd=barrier_out\n");
        }
    }

    void say(std::size_t rank, const std::string& text) {
        static_cast<void>(::send(own_[rank], text.data(), text.size(), MSG_NOSIGNAL));
    }

    mischief instead_;
    std::vector<int> of_ranks_, own_;
    std::vector<std::string> heard_; // the thread's alone until it is joined
    std::map<std::size_t, bool> ended_;
    std::map<std::string, std::string> values_;
    std::size_t came_ = 0;
    std::thread thread_;
};

} // namespace tutti::test
