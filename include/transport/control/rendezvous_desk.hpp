// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/linkage.hpp"
#include "../sockets/watched_socket.hpp"
#include "status/desk.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace tutti::transport::bootstrap {

/// Serves the desk where processes ask what all ranks do. Its coroutines end as the context runs on after close().
class rendezvous_desk {
public:
    static constexpr std::size_t most_clients = 8; ///< at once; further ones are turned away
    static constexpr std::chrono::seconds longest_visit{2};

    /// `asked`: somebody waits for a report.
    TUTTI_COLD rendezvous_desk(asio::io_context& in, std::uint64_t world, std::function<void()> asked)
        : in_(in), desk_(world), asked_(std::move(asked)), pause_(in) {
        if (desk_.get() < 0) return;
        try {
            waits_ = std::make_shared<watched_socket>(in_, desk_.get());
            begin(in_, serve());
        } catch (const std::exception&) { // no memory: nobody is told, and the ranks go on
        }
    }
    rendezvous_desk(const rendezvous_desk&) = delete;
    rendezvous_desk& operator=(const rendezvous_desk&) = delete;
    ~rendezvous_desk() { close(); }

    /// Gives the report to all that wait for one.
    TUTTI_COLD void answer(std::vector<std::byte> report) {
        const auto text = std::make_shared<const std::vector<std::byte>>(std::move(report));
        for (descriptor& socket : std::exchange(asking_, {})) {
            try {
                told_.push_back(std::make_shared<client>(in_, std::move(socket)));
                begin(in_, tell(told_.back(), text));
            } catch (const std::exception&) { // no memory: this one is told nothing
            }
        }
    }
    TUTTI_COLD void close() {
        is_closed_ = true;
        if (waits_) waits_->ignore();
        pause_.cancel();
        for (const auto& c : told_) c->waits->ignore();
    }

private:
    struct client {
        client(asio::io_context& in, descriptor s)
            : socket(std::move(s)), waits(std::make_shared<watched_socket>(in, socket.get())) {}
        ~client() { waits->ignore(); }
        descriptor socket;
        std::shared_ptr<watched_socket> waits;
    };

    TUTTI_COLD task<> serve() {
        while (!is_closed_) {
            co_await waits_->readable();
            if (is_closed_) break;
            while (auto socket = desk_.accept())
                if (asking_.size() + told_.size() < most_clients) asking_.push_back(std::move(socket));
            if (!asking_.empty()) {
                asked_();
            } else { // who comes next may find a descriptor to spare
                pause_.expires_after(std::chrono::milliseconds(100));
                co_await pause_.async_wait(in_task);
            }
        }
    }
    TUTTI_COLD task<> tell(std::shared_ptr<client> c, std::shared_ptr<const std::vector<std::byte>> text) {
        c->waits->ignore_after(longest_visit);
        for (auto rest = std::span(*text); !rest.empty() && c->waits->is_watched();) {
            const auto written = write_some(c->socket.get(), rest);
            if (written.ended) break;
            rest = rest.subspan(written.bytes);
            if (!rest.empty()) co_await c->waits->writable();
        }
        if (!is_closed_) std::erase(told_, c);
    }

    asio::io_context& in_;
    status::desk desk_;
    std::function<void()> asked_;
    timer pause_;
    std::shared_ptr<watched_socket> waits_;
    std::vector<descriptor> asking_;
    std::vector<std::shared_ptr<client>> told_;
    bool is_closed_ = false;
};

} // namespace tutti::transport::bootstrap
