// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../engine/membership.hpp"
#include "../engine/message.hpp"
#include "arguments.hpp"
#include "issue.hpp"

#include <array>
#include <cstddef>
#include <type_traits>

/// Shared by what sends and receives: from a user's arguments to the engine's messages.
namespace tutti::detail {

/// A range or an element that can be received into.
template <class Data>
concept message_target = range_like<Data> || describes_itself<Data> ||
                         (std::is_lvalue_reference_v<Data> && !std::is_const_v<std::remove_reference_t<Data>>);

/// The user's data as a span of elements.
template <class Data>
[[nodiscard]] auto message_span(Data& data) {
    if constexpr (range_like<Data>) {
        return span_of(data);
    } else {
        static_assert(!std::is_pointer_v<Data>, "tutti: a pointer means nothing on another rank: take "
                                                "std::span(pointer, count)");
        check_element<std::remove_const_t<Data>>();
        return std::span(&data, 1);
    }
}

/// The arguments of a message, without their types.
struct message_arguments {
    engine::message::direction way;
    int peer;
    int tag;
    raw_range data;
    std::size_t element_bytes;
    std::uint64_t type;
    type_words type_name;
    std::byte* (*allocate)(void*, std::size_t) = nullptr;
    void* allocate_state = nullptr;
    bool probes = false;
    engine::strides apart{};
};
/// Throws invalid_argument for a rank or a tag that there is not, and for a range that is null or misaligned.
void check_message(const message_arguments& a, int size);
/// Precondition: the message is not under way.
void fill(engine::message& m, const message_arguments& a) noexcept;

template <class T>
[[nodiscard]] message_arguments arguments_of(engine::message::direction way, int peer, int tag, raw_range data) {
    return {way, peer, tag, data, sizeof(T), type_id<T>(), words_of<T>()};
}

/// A message of the user's data, to or from `peer`.
template <engine::message::direction way, class Data>
[[nodiscard]] message_arguments described(Data& data, int peer, int tag) {
    if constexpr (describes_itself<Data>) {
        static_assert(way == engine::message::direction::send || !Data::is_read_only,
                      "tutti: a message cannot be received into elements that are const");
        message_arguments a{way, peer, tag, {}, 1, 0, {}};
        describe_message(a, data);
        return a;
    } else {
        const auto span = message_span(data);
        using element_type = typename decltype(span)::element_type;
        static_assert(way == engine::message::direction::send || !std::is_const_v<element_type>,
                      "tutti: a message cannot be received into a range of const");
        return arguments_of<std::remove_const_t<element_type>>(way, peer, tag, raw(span));
    }
}

template <class Issuer, class Data>
[[nodiscard]] message_arguments outgoing(const Issuer& by, const Data& data, int to, int tag) {
    const auto a = described<engine::message::direction::send>(data, to, tag);
    check_message(a, by.size());
    return a;
}
template <class Issuer, class Data>
[[nodiscard]] message_arguments incoming(const Issuer& by, Data&& data, int from, int tag) {
    const auto a = described<engine::message::direction::receive>(data, from, tag);
    check_message(a, by.size());
    return a;
}

/// Buffers of a message that goes on afterwards must not be temporaries.
template <class Data>
constexpr void check_outlive_message() noexcept {
    if constexpr (range_like<Data>)
        check_outlive<Data>();
    else if constexpr (!describes_itself<Data>)
        static_assert(std::is_lvalue_reference_v<Data>, "tutti: the data of a non-blocking message must outlive it: do "
                                                        "not pass a temporary");
}

/// Up to so many messages of a blocking call, which waits for those that have started, whatever happens.
template <class Communicator, std::size_t most>
class blocking_messages {
public:
    explicit blocking_messages(const Communicator& on) noexcept : on_(on) {}
    blocking_messages(const blocking_messages&) = delete;
    blocking_messages& operator=(const blocking_messages&) = delete;
    ~blocking_messages() {
        for (std::size_t i = 0; i < started_; ++i) access::membership_of(on_).await(all_[i]);
    }

    [[nodiscard]] const engine::message& at(std::size_t i) const noexcept { return all_[i]; }
    void start(const message_arguments& a) {
        engine::message& m = all_[started_];
        fill(m, a);
        access::membership_of(on_).start(m, on_.default_deadline());
        ++started_;
    }
    /// Throws the first failure, if any, when all are over.
    void wait() {
        for (std::size_t i = 0; i < started_; ++i)
            if (!all_[i].is_over()) access::membership_of(on_).await(all_[i]);
        for (std::size_t i = 0; i < started_; ++i) access::membership_of(on_).wait(all_[i]);
    }

private:
    const Communicator& on_;
    std::array<engine::message, most> all_;
    std::size_t started_ = 0;
};

} // namespace tutti::detail

#if !defined(TUTTI_COMPILED)
#include "messages.ipp"
#endif
