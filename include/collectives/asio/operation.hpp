// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../calls/issue.hpp"
#include "../request.hpp"
#include "../send_receive.hpp"
#include "error_code.hpp"
#include "world_loop.hpp"

#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace tutti::detail {
inline namespace TUTTI_ASIO_NAMESPACE {

/// A handler with its arguments. It is run by the handler's executor.
template <class Handler, class... Results>
struct completion {
    using allocator_type = net::associated_allocator_t<Handler>;

    Handler handler;
    std::tuple<error_code, Results...> results;

    [[nodiscard]] allocator_type get_allocator() const noexcept { return net::get_associated_allocator(handler); }
    void operator()() {
#if TUTTI_ASIO_CANCELS
        if (auto slot = net::get_associated_cancellation_slot(handler); slot.is_connected()) slot.clear();
#endif
        std::apply(std::move(handler), std::move(results));
    }
};

/// Of a request without results.
struct no_results {
    [[nodiscard]] std::tuple<> take(int /*source*/) noexcept { return {}; }
};
/// Of a receive of any length: the elements, and whose they were.
template <class T>
struct received_elements {
    std::unique_ptr<std::vector<T>> elements = std::make_unique<std::vector<T>>(); ///< which the call writes to

    [[nodiscard]] std::tuple<std::vector<T>, int> take(int source) { return {std::move(*elements), source}; }
};

/// A request that is awaited, with its handler.
template <class Request, class Handler, class Results>
class wait_operation final : public awaited {
public:
    using executor_type = net::associated_executor_t<Handler, world_loop::executor_type>;

    [[nodiscard]] static owned_awaited make(Request&& r, Handler&& h, Results&& into,
                                            const world_loop::executor_type& loop) {
        auto from = allocator(h);
        auto* const place = std::allocator_traits<decltype(from)>::allocate(from, 1);
        try {
            return owned_awaited(::new (static_cast<void*>(place))
                                     wait_operation(std::move(r), std::move(h), std::move(into), loop));
        } catch (...) {
            std::allocator_traits<decltype(from)>::deallocate(from, place, 1);
            throw;
        }
    }
    wait_operation(Request&& r, Handler&& h, Results&& into, const world_loop::executor_type& loop)
        : results_(std::move(into)), handler_(std::move(h)), loop_works_(loop),
          works_(net::get_associated_executor(handler_, loop)), request_(std::move(r)) {
        access::want(request_);
    }

    bool is_over() const noexcept override { return access::has_ended(request_); }
    bool give_up() override {
        const auto how = access::give_up(request_);
        is_given_up_ = how == engine::cancelled::withdrawn || how == engine::cancelled::aborted;
        return how != engine::cancelled::goes_on;
    }
    void finish(bool here) override {
        error_code code;
        try {
            access::collect(request_);
        } catch (const error& e) {
            code = code_of(e);
        }
        if (is_given_up_) code = net::error::make_error_code(net::error::operation_aborted);
        complete(code, here);
    }
    void settle() noexcept override {
        try {
            if (!is_over()) static_cast<void>(access::give_up(request_, true));
        } catch (const std::exception&) { // another thread is inside a call: then it is waited for
        }
        request_ = Request();
    }
    void drop() noexcept override { free(allocator(handler_)); }

private:
    ~wait_operation() = default;

    [[nodiscard]] static auto allocator(const Handler& h) noexcept {
        using all = std::allocator_traits<net::associated_allocator_t<Handler>>;
        return typename all::template rebind_alloc<wait_operation>(net::get_associated_allocator(h));
    }
    template <class Allocator>
    void free(Allocator from) noexcept {
        this->~wait_operation();
        std::allocator_traits<Allocator>::deallocate(from, this, 1);
    }
    void complete(const error_code& code, bool here) {
        const auto from = allocator(handler_);
        auto last = std::move(request_); // perhaps of its world: which ends after the work guards, for which it waits
        const auto loop_works = std::move(loop_works_);
        const auto works = std::move(works_);
        auto bound = std::apply(
            [&](auto&&... results) {
                return completion<Handler, std::remove_cvref_t<decltype(results)>...>{std::move(handler_),
                                                                                      {code, std::move(results)...}};
            },
            results_.take(last.source()));
        free(from); // before the handler runs, which may want this memory
        if (!here) return net::post(works.get_executor(), std::move(bound));
        last = Request(); // in the world's own context, which does not wait for itself
        net::dispatch(works.get_executor(), std::move(bound));
    }

    Results results_;
    Handler handler_;
    net::executor_work_guard<world_loop::executor_type> loop_works_;
    net::executor_work_guard<executor_type> works_;
    bool is_given_up_ = false;
    Request request_; ///< goes first, and waits: what it writes to the others may own
};

/// Tells a handler that its call was wrong, in its executor or else in that of `loop`: not before the function that was
/// called has returned.
template <class... Results, class Handler, class Executor = net::system_executor>
void fail(Handler&& h, const error& why, const Executor& loop = {}) {
    const auto by = net::get_associated_executor(h, loop);
    net::post(by,
              completion<std::decay_t<Handler>, Results...>{std::forward<Handler>(h), {code_of(why), Results{}...}});
}

#if TUTTI_ASIO_CANCELS
/// Gives an awaited request up.
struct canceller {
    std::weak_ptr<world_loop> in;
    std::uint64_t number;

    void operator()(net::cancellation_type_t how) const {
        if ((how & net::cancellation_type::terminal) == net::cancellation_type::none) return;
        if (const auto loop = in.lock()) loop->cancel(number);
    }
};
#endif

/// Has the loop look after the request, and then call the handler.
template <class Request, class Handler, class Results>
void await(const std::shared_ptr<world_loop>& loop, Request&& r, Handler&& handler, Results&& into) {
    using handler_type = std::decay_t<Handler>;
    using operation = wait_operation<Request, handler_type, Results>;
    handler_type h(std::forward<Handler>(handler));
    try {
        const auto number = loop->next_number();
#if TUTTI_ASIO_CANCELS
        if (auto slot = net::get_associated_cancellation_slot(h); slot.is_connected())
            slot.template emplace<canceller>(canceller{loop, number});
#endif
        loop->add(operation::make(std::move(r), std::move(h), std::move(into), loop->executor()), number);
    } catch (...) {
        r = Request(); // waits before what it writes to goes
        throw;
    }
}

/// Starts to wait for a request.
struct initiate_wait {
    template <class Handler, class Request>
    void operator()(Handler&& handler, Request r) const {
        std::shared_ptr<world_loop> loop;
        try {
            if (r.collected())
                reject("async_wait", "the request was waited for or moved from before", "await each request once");
            loop = world_loop::of("async_wait", *access::membership_of_request(r));
        } catch (const error& e) {
            r = Request(); // waits, since the handler may own its buffers
            return fail(std::forward<Handler>(handler), e);
        }
        await(loop, std::move(r), std::forward<Handler>(handler), no_results{});
    }
};

/// Starts a receive of any number of elements, and to wait for it.
template <class T>
struct initiate_receive {
    template <class Handler, class Communicator>
    void operator()(Handler&& handler, const Communicator& world, int from, int tag) const {
        std::shared_ptr<world_loop> loop;
        received_elements<T> into;
        request<typename Communicator::transport_type> started;
        try {
            loop = world_loop::of("async_receive", access::membership_of(world));
            started = world.async().receive(any_length{*into.elements}, from, tag);
        } catch (const error& e) {
            if (!loop) return fail<std::vector<T>, int>(std::forward<Handler>(handler), e);
            return fail<std::vector<T>, int>(std::forward<Handler>(handler), e, loop->executor());
        }
        await(loop, std::move(started), std::forward<Handler>(handler), std::move(into));
    }
};

} // namespace TUTTI_ASIO_NAMESPACE
} // namespace tutti::detail
