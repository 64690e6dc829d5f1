// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/linkage.hpp"
#include "status_page.hpp"
#include "transport.hpp"

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tutti::transport {

/// A transport that makes memory which peers reach, from any thread.
template <class T>
concept allocating_transport = requires(const T t, std::size_t bytes) {
    { t.allocate(bytes) } -> std::same_as<std::shared_ptr<std::byte>>;
};

/// A transport that lets peers reach memory of the user's own, from any thread.
template <class T>
concept registering_transport = requires(const T t, std::byte* p, std::size_t bytes) {
    { t.register_memory(p, bytes) } -> std::same_as<void>;
};

/// A transport some of whose messages may lie in memory of a GPU.
template <class T>
concept device_transport = requires(const T t, const std::byte* p) {
    { t.is_on_device(p) } -> std::same_as<bool>;
};

namespace detail {

class any_channel;

template <class T>
inline constexpr bool reads_in_place = [] {
    if constexpr (requires { T::reads_in_place; })
        return T::reads_in_place;
    else
        return false;
}();

/// Zeroed memory aligned to 64 bytes: for transports without symmetric memory, or that reach all memory anyway.
[[nodiscard]] inline std::shared_ptr<std::byte> plain_memory(std::size_t bytes) {
    constexpr std::align_val_t alignment{64};
    auto* const made = static_cast<std::byte*>(::operator new(bytes, alignment));
    std::fill_n(made, bytes, std::byte{0});
    return {made, [](std::byte* p) { ::operator delete(p, alignment); }};
}

/// What a transport is asked for, as the tables of transport.hpp have it, but for what each message passes; powers that
/// it lacks have a default.
class transport_interface {
public:
    transport_interface() = default;
    transport_interface(const transport_interface&) = delete;
    transport_interface& operator=(const transport_interface&) = delete;
    virtual ~transport_interface() = default;

    [[nodiscard]] virtual const std::byte* look(any_channel& h, transfer& x) = 0;
    [[nodiscard]] virtual bool release(any_channel& h, transfer& x) = 0;
    [[nodiscard]] virtual bool answer(any_channel& h, std::size_t offset, const std::byte* from, std::size_t bytes) = 0;
    virtual void require_own() const = 0;
    [[nodiscard]] virtual bool crowded() const = 0;
    [[nodiscard]] virtual clock::time_point now() const = 0;
    [[nodiscard]] virtual bool is_on_device(const std::byte* p) const = 0;
    virtual void wait(clock::time_point until) = 0;
    virtual void wake() = 0;
    [[nodiscard]] virtual int descriptor() = 0;
    [[nodiscard]] virtual bool arm() = 0;
    [[nodiscard]] virtual clock::time_point due() const = 0;
    virtual void disarm(bool to_step) = 0;
    virtual void call(bool wanted) = 0;
    [[nodiscard]] virtual bool fetch(notice& n) = 0;
    virtual void tell(const notice& n) = 0;
    [[nodiscard]] virtual any_channel& open(context k, int peer) = 0;
    virtual void close(context k) = 0;
    [[nodiscard]] virtual int node(int peer) const = 0;
    [[nodiscard]] virtual std::optional<std::string> broken(int peer) = 0;
    [[nodiscard]] virtual std::optional<std::string> shortage(int peer) = 0;
    [[nodiscard]] virtual culprit blamed_by(int peer) = 0;
    [[nodiscard]] virtual peer_name name_of(int peer) const = 0;
    [[nodiscard]] virtual std::string way_to(int peer) const = 0;
    [[nodiscard]] virtual std::vector<untaken> leave(clock::time_point until) = 0;
    [[nodiscard]] virtual status::page* status_page() noexcept = 0;
    [[nodiscard]] virtual std::shared_ptr<std::byte> allocate(std::size_t bytes) const = 0;
    virtual void register_memory(std::byte* p, std::size_t bytes) const = 0;
};

/// A transport behind that interface.
template <class T>
class held_transport final : public transport_interface {
public:
    explicit held_transport(T t) : it(std::move(t)) {}

    static void send(void* held, any_channel& h, transfer& x) { static_cast<T*>(held)->send(own(h), x); }
    static void receive(void* held, any_channel& h, transfer& x) { static_cast<T*>(held)->receive(own(h), x); }
    static bool progress(void* held) { return static_cast<T*>(held)->progress(); }

    const std::byte* look([[maybe_unused]] any_channel& h, [[maybe_unused]] transfer& x) override {
        if constexpr (viewing_transport<T>)
            return it.look(own(h), x);
        else
            return nullptr;
    }
    bool release([[maybe_unused]] any_channel& h, [[maybe_unused]] transfer& x) override {
        if constexpr (viewing_transport<T>)
            return it.release(own(h), x);
        else
            return true;
    }
    bool answer([[maybe_unused]] any_channel& h, [[maybe_unused]] std::size_t offset,
                [[maybe_unused]] const std::byte* from, [[maybe_unused]] std::size_t bytes) override {
        if constexpr (requires { it.answer(own(h), offset, from, bytes); })
            return it.answer(own(h), offset, from, bytes);
        else
            return false;
    }
    TUTTI_COLD void require_own() const override {
        if constexpr (requires { it.require_own(); }) it.require_own();
    }
    bool crowded() const override { return it.crowded(); }
    clock::time_point now() const override {
        return [&] {
            if constexpr (timed_transport<T>)
                return it.now();
            else
                return clock::now();
        }();
    }
    bool is_on_device([[maybe_unused]] const std::byte* p) const override {
        if constexpr (device_transport<T>)
            return it.is_on_device(p);
        else
            return false;
    }
    void wait(clock::time_point until) override { it.wait(until); }
    void wake() override { it.wake(); }
    TUTTI_COLD int descriptor() override {
        if constexpr (awaitable_transport<T>)
            return it.descriptor();
        else
            return -1;
    }
    TUTTI_COLD bool arm() override {
        if constexpr (awaitable_transport<T>)
            return it.arm();
        else
            return true;
    }
    TUTTI_COLD clock::time_point due() const override {
        if constexpr (awaitable_transport<T>)
            return it.due();
        else
            return clock::time_point::max();
    }
    TUTTI_COLD void disarm([[maybe_unused]] bool to_step) override {
        if constexpr (awaitable_transport<T>) it.disarm(to_step);
    }
    TUTTI_COLD void call([[maybe_unused]] bool wanted) override {
        if constexpr (awaitable_transport<T>) it.call(wanted);
    }
    TUTTI_COLD bool fetch(notice& n) override { return it.fetch(n); }
    TUTTI_COLD void tell(const notice& n) override { it.tell(n); }
    TUTTI_COLD any_channel& open(context k, int peer) override {
        return reinterpret_cast<any_channel&>(it.open(k, peer));
    }
    TUTTI_COLD void close(context k) override { it.close(k); }
    TUTTI_COLD int node(int peer) const override { return it.node(peer); }
    TUTTI_COLD std::optional<std::string> broken(int peer) override { return it.broken(peer); }
    TUTTI_COLD std::optional<std::string> shortage([[maybe_unused]] int peer) override {
        if constexpr (requires { it.shortage(peer); })
            return it.shortage(peer);
        else
            return std::nullopt;
    }
    TUTTI_COLD culprit blamed_by([[maybe_unused]] int peer) override {
        if constexpr (requires { it.blamed_by(peer); })
            return it.blamed_by(peer);
        else
            return {};
    }
    TUTTI_COLD peer_name name_of(int peer) const override { return it.name_of(peer); }
    TUTTI_COLD std::string way_to(int peer) const override {
        if constexpr (requires { it.way_to(peer); })
            return it.way_to(peer);
        else
            return it.name_of(peer).address;
    }
    TUTTI_COLD std::vector<untaken> leave([[maybe_unused]] clock::time_point until) override {
        if constexpr (lingering_transport<T>)
            return it.leave(until);
        else
            return {};
    }
    status::page* status_page() noexcept override { return status::page_of(it); }
    TUTTI_COLD std::shared_ptr<std::byte> allocate(std::size_t bytes) const override {
        if constexpr (allocating_transport<T>)
            return it.allocate(bytes);
        else
            return plain_memory(bytes);
    }
    TUTTI_COLD void register_memory([[maybe_unused]] std::byte* p, [[maybe_unused]] std::size_t bytes) const override {
        if constexpr (registering_transport<T>)
            it.register_memory(p, bytes);
        else
            reject("register_memory", "this transport's peers reach no memory of the user's own",
                   "only transports named cuda_ipc and cuda_routed register memory; others need none");
    }

    T it;

private:
    [[nodiscard]] static typename T::channel& own(any_channel& h) noexcept {
        return reinterpret_cast<typename T::channel&>(h);
    }
};

} // namespace detail

/// Holds a transport of any type. The engine runs over it, and so is compiled once, however many transports a program
/// has. Cost: a call through a pointer for each message that is started, and each look for progress.
class any {
public:
    /// One end of a message stream to another rank.
    using channel = detail::any_channel;
    /// Of the concept `transport` alone: between() has those of the transport that it holds.
    /// @{
    static constexpr medium near = medium::memory, far = medium::network;
    /// @}

    /// Takes the transport over.
    template <class T>
        requires(!std::same_as<T, any>)
    explicit any(T t) : any(std::move(t), media{T::near, T::far, detail::reads_in_place<T>}) {
        static_assert(transport<T>);
    }

    /// The transport. Precondition: it is a T.
    template <class T>
    [[nodiscard]] T& target() noexcept {
        return static_cast<detail::held_transport<T>&>(*it_).it;
    }

    /// What it can: its time is a clock of its own (timed_transport), it lends messages (viewing_transport).
    /// @{
    [[nodiscard]] bool is_timed() const noexcept { return timed_; }
    [[nodiscard]] bool views() const noexcept { return views_; }
    /// @}
    /// Media between ranks.
    struct media {
        medium near;                 ///< of a node
        medium far;                  ///< of several nodes
        bool reads_in_place = false; ///< each message is read where it lies (T::reads_in_place)
    };
    /// Those of the transport.
    [[nodiscard]] media between() const noexcept { return between_; }

    /// As the tables of transport.hpp have it.
    /// @{
    void require_own() const { it_->require_own(); }
    [[nodiscard]] int rank() const noexcept { return rank_; }
    [[nodiscard]] int size() const noexcept { return size_; }
    [[nodiscard]] int node(int peer) const { return it_->node(peer); }
    [[nodiscard]] bool crowded() const { return it_->crowded(); }
    [[nodiscard]] channel& open(context k, int peer) { return it_->open(k, peer); }
    void send(channel& h, transfer& x) { send_(held_, h, x); }
    void receive(channel& h, transfer& x) { receive_(held_, h, x); }
    [[nodiscard]] const std::byte* look(channel& h, transfer& x) { return it_->look(h, x); }
    [[nodiscard]] bool release(channel& h, transfer& x) { return it_->release(h, x); }
    [[nodiscard]] bool answer(channel& h, std::size_t offset, const std::byte* from, std::size_t bytes) {
        return it_->answer(h, offset, from, bytes);
    }
    bool progress() { return progress_(held_); }
    void wait(clock::time_point until) { it_->wait(until); }
    void wake() { it_->wake(); }
    /// -1: the transport has none.
    [[nodiscard]] int descriptor() { return it_->descriptor(); }
    [[nodiscard]] bool arm() { return it_->arm(); }
    [[nodiscard]] clock::time_point due() const { return it_->due(); }
    void disarm(bool to_step) { it_->disarm(to_step); }
    void call(bool wanted) { it_->call(wanted); }
    void close(context k) { it_->close(k); }
    void tell(const notice& n) { it_->tell(n); }
    [[nodiscard]] bool fetch(notice& n) { return it_->fetch(n); }
    [[nodiscard]] std::optional<std::string> broken(int peer) { return it_->broken(peer); }
    [[nodiscard]] peer_name name_of(int peer) const { return it_->name_of(peer); }
    [[nodiscard]] clock::time_point now() const { return timed_ ? it_->now() : clock::now(); }
    [[nodiscard]] std::vector<untaken> leave(clock::time_point until) { return it_->leave(until); }
    [[nodiscard]] std::optional<std::string> shortage(int peer) { return it_->shortage(peer); }
    [[nodiscard]] culprit blamed_by(int peer) { return it_->blamed_by(peer); }
    [[nodiscard]] status::page* status_page() noexcept { return it_->status_page(); }
    /// @}
    /// As worlds have it.
    /// @{
    [[nodiscard]] std::string way_to(int peer) const { return it_->way_to(peer); }
    [[nodiscard]] std::shared_ptr<std::byte> allocate(std::size_t bytes) const { return it_->allocate(bytes); }
    void register_memory(std::byte* p, std::size_t bytes) const { it_->register_memory(p, bytes); }
    [[nodiscard]] bool is_on_device(const std::byte* p) const { return on_devices_ && it_->is_on_device(p); }
    /// @}

private:
    template <class T>
    any(T t, media between)
        : between_(between), rank_(t.rank()), size_(t.size()), timed_(timed_transport<T>), views_(viewing_transport<T>),
          on_devices_(device_transport<T>) {
        auto made = std::make_unique<detail::held_transport<T>>(std::move(t));
        held_ = &made->it;
        it_ = std::move(made);
        send_ = detail::held_transport<T>::send;
        receive_ = detail::held_transport<T>::receive;
        progress_ = detail::held_transport<T>::progress;
    }

    std::unique_ptr<detail::transport_interface> it_;
    void* held_; ///< the transport
    // Its functions. A pointer here is found sooner than one in a table.
    void (*send_)(void* held, channel& h, transfer& x);
    void (*receive_)(void* held, channel& h, transfer& x);
    bool (*progress_)(void* held);
    media between_;
    int rank_, size_;
    bool timed_, views_, on_devices_;
};

static_assert(transport<any>);

} // namespace tutti::transport
