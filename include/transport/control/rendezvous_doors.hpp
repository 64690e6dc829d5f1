// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/linkage.hpp"
#include "../contract/transport.hpp"
#include "../sockets/shared_listener.hpp"
#include "../sockets/watched_socket.hpp"

#include <cerrno>
#include <chrono>
#include <exception>
#include <memory>
#include <system_error>
#include <utility>
#include <vector>

namespace tutti::transport::bootstrap {

/// Where connections come in to a rendezvous, whose turn it is or is not: see shared_listener. Its coroutines end
/// as the context runs on after close(). Of `Server` it calls
/// - welcome(descriptor), which may throw,
/// - limit_strangers(): there may not be more of them than now,
/// - drop_oldest(): makes room for a connection, or says that it cannot,
/// - run_out(std::string): this process lacks something to let ranks in.
template <class Server>
class rendezvous_doors {
public:
    using listeners = std::vector<std::shared_ptr<shared_listener>>;

    TUTTI_COLD rendezvous_doors(asio::io_context& in, listeners at, Server& server) : in_(in), server_(server) {
        for (auto& l : at) {
            doors_.push_back(std::make_unique<door>(in_, std::move(l)));
            doors_.back()->at->enter(in_);
        }
    }
    rendezvous_doors(const rendezvous_doors&) = delete;
    rendezvous_doors& operator=(const rendezvous_doors&) = delete;
    ~rendezvous_doors() { close(); }

    TUTTI_COLD void open() {
        for (const auto& d : doors_) begin(in_, let_in(*d));
    }
    /// It may be our turn.
    void look() {
        for (const auto& d : doors_) d->pause.cancel();
    }
    /// The system refuses later connections, unless it is another's turn now. The coroutines end as the context runs
    /// on.
    TUTTI_COLD void close() {
        is_closed_ = true;
        for (const auto& d : doors_) d->at->leave(in_);
        doors_.clear();
    }

private:
    static constexpr std::chrono::milliseconds pause_without_descriptors{100};
    static constexpr int at_once = 64; ///< connections, before others have their turn

    struct door {
        door(asio::io_context& in, std::shared_ptr<shared_listener> l)
            : at(std::move(l)), waits(std::make_shared<watched_socket>(in, at->get())), pause(in) {}
        std::shared_ptr<shared_listener> at;
        std::shared_ptr<watched_socket> waits; ///< goes before the socket does
        timer pause;
    };

    TUTTI_COLD task<> let_in(door& d) {
        while (!is_closed_) {
            const bool ours = d.at->is_turn_of(in_);
            if (ours && paused_until_ <= clock::now()) {
                co_await d.waits->readable();
                if (!is_closed_ && d.at->is_turn_of(in_)) admit(d.at->get());
            } else {
                d.pause.expires_at(ours ? paused_until_ : clock::time_point::max());
                co_await d.pause.async_wait(in_task);
            }
        }
    }
    TUTTI_COLD void admit(int listener) {
        for (int i = 0; i < at_once && !is_closed_; ++i) {
            auto fd = accept_from(listener);
            const int why = fd ? welcomed(std::move(fd)) : errno;
            const auto lack = shortage_in_words(why);
            if (lack && !server_.drop_oldest()) {
                paused_until_ = clock::now() + pause_without_descriptors;
                server_.run_out(*lack);
            }
            if (why != 0 && why != ECONNABORTED) return;
        }
    }
    /// 0, or the error of the system that ends this connection.
    TUTTI_COLD [[nodiscard]] int welcomed(descriptor fd) {
        try {
            detail::tune_control_socket(fd.get());
            // Descriptors that the process needs itself are not given to strangers.
            if (!can_spare_descriptors(fd.get())) server_.limit_strangers();
            server_.welcome(std::move(fd));
            return 0;
        } catch (const std::system_error& e) {
            return e.code().value();
        } catch (const std::exception&) {
            return ENOMEM;
        }
    }

    asio::io_context& in_;
    Server& server_;
    std::vector<std::unique_ptr<door>> doors_;
    clock::time_point paused_until_ = clock::time_point::min();
    bool is_closed_ = false;
};

} // namespace tutti::transport::bootstrap
