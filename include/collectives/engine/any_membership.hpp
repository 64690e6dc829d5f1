// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../transport/contract/any.hpp"
#include "membership.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tutti::engine {

/// One rank's part in a communicator whose transport is not known to the compiler: as the template has it.
template <>
class membership<transport::any> {
public:
    using entry = planned<transport::any>; ///< an address alone: that of another transport's entry
    using clock = transport::clock;

    /// A call under way. Its destructor waits for the call.
    class started {
    public:
        struct call_under_way {
            virtual ~call_under_way() = default;
            virtual void wait() = 0;
            [[nodiscard]] virtual bool test() = 0;
            [[nodiscard]] virtual bool is_over() const noexcept = 0;
            virtual void want(bool now) noexcept = 0;
            virtual void nudge() = 0;
        };

        explicit started(std::unique_ptr<call_under_way> of) noexcept : of_(std::move(of)) {}
        void wait() { of_->wait(); }
        [[nodiscard]] bool test() { return of_->test(); }
        [[nodiscard]] bool is_over() const noexcept { return of_->is_over(); }
        void want(bool now) noexcept { of_->want(now); }
        void nudge() { of_->nudge(); }

    private:
        std::unique_ptr<call_under_way> of_;
    };

    membership() = default;
    membership(const membership&) = delete;
    membership& operator=(const membership&) = delete;
    virtual ~membership() = default;

    [[nodiscard]] virtual std::shared_ptr<membership> child(std::uint64_t id, std::vector<int> members,
                                                            int rank) const = 0;
    [[nodiscard]] virtual int rank() const noexcept = 0;
    [[nodiscard]] virtual int size() const noexcept = 0;
    [[nodiscard]] virtual const std::vector<int>& members() const noexcept = 0;
    [[nodiscard]] virtual const model::chooser& choice() const noexcept = 0;
    [[nodiscard]] virtual std::uint64_t next_child(std::uint64_t color) = 0;
    [[nodiscard]] virtual clock::time_point now() const = 0;
    [[nodiscard]] virtual bool has_progress_thread() const noexcept = 0;
    [[nodiscard]] virtual std::string way_to(int rank) const = 0;
    [[nodiscard]] virtual std::shared_ptr<std::byte> allocate(std::size_t bytes) const = 0;

    [[nodiscard]] virtual started start(const call& c, std::chrono::nanoseconds timeout,
                                        std::shared_ptr<const void> keeps = {}, entry* plan = nullptr) = 0;
    virtual void start(message& m, std::chrono::nanoseconds timeout) = 0;
    virtual void await(message& m) = 0;
    virtual void wait(message& m) = 0;
    [[nodiscard]] virtual bool test(message& m) = 0;
    virtual void nudge(const message& m) = 0;
    template <class Ended>
    void wait_until(const Ended& ended, clock::time_point until = clock::time_point::max()) {
        wait_until([](const void* e) { return (*static_cast<const Ended*>(e))(); }, &ended, until);
    }

    [[nodiscard]] virtual entry& hold(const call& c) = 0;
    virtual void let_go(entry& plan) noexcept = 0;
    virtual void record(recorder& to) = 0;
    virtual void stop_recording() = 0;
    virtual void abort(const std::string& reason) = 0;
    virtual void require_nobody() const = 0;

private:
    virtual void wait_until(bool (*ended)(const void*), const void* state, clock::time_point until) = 0;
};

/// That of a known transport.
template <class Transport>
class erased_membership final : public membership<transport::any> {
public:
    using erased = membership<transport::any>;
    using known = membership<Transport>;

    explicit erased_membership(std::shared_ptr<known> in) : in_(std::move(in)) {}

    std::shared_ptr<erased> child(std::uint64_t id, std::vector<int> members, int rank) const override {
        return std::make_shared<erased_membership>(in_->child(id, std::move(members), rank));
    }
    int rank() const noexcept override { return in_->rank(); }
    int size() const noexcept override { return in_->size(); }
    const std::vector<int>& members() const noexcept override { return in_->members(); }
    const model::chooser& choice() const noexcept override { return in_->choice(); }
    std::uint64_t next_child(std::uint64_t color) override { return in_->next_child(color); }
    clock::time_point now() const override { return in_->now(); }
    bool has_progress_thread() const noexcept override { return in_->has_progress_thread(); }
    std::string way_to(int rank) const override { return in_->way_to(rank); }
    std::shared_ptr<std::byte> allocate(std::size_t bytes) const override { return in_->allocate(bytes); }

    started start(const call& c, std::chrono::nanoseconds timeout, std::shared_ptr<const void> keeps,
                  entry* plan) override {
        auto made = std::make_unique<known_call>(); // first: a call that has started must not be forgotten
        made->of.emplace(in_->start(c, timeout, std::move(keeps), reinterpret_cast<planned<Transport>*>(plan)));
        return started(std::move(made));
    }
    void start(message& m, std::chrono::nanoseconds timeout) override { in_->start(m, timeout); }
    void await(message& m) override { in_->await(m); }
    void wait(message& m) override { in_->wait(m); }
    bool test(message& m) override { return in_->test(m); }
    void nudge(const message& m) override { in_->nudge(m); }

    entry& hold(const call& c) override { return reinterpret_cast<entry&>(in_->hold(c)); }
    void let_go(entry& plan) noexcept override { in_->let_go(reinterpret_cast<planned<Transport>&>(plan)); }
    void record(recorder& to) override { in_->record(to); }
    void stop_recording() override { in_->stop_recording(); }
    void abort(const std::string& reason) override { in_->abort(reason); }
    void require_nobody() const override { in_->require_nobody(); }

private:
    struct known_call final : started::call_under_way {
        void wait() override { of->wait(); }
        bool test() override { return of->test(); }
        bool is_over() const noexcept override { return of->is_over(); }
        void want(bool now) noexcept override { of->want(now); }
        void nudge() override { of->nudge(); }

        std::optional<typename known::started> of;
    };

    void wait_until(bool (*ended)(const void*), const void* state, clock::time_point until) override {
        in_->wait_until([=] { return ended(state); }, until);
    }

    std::shared_ptr<known> in_;
};

} // namespace tutti::engine
