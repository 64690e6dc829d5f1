// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "routed.hpp"

#include "bootstrap/environment.hpp"
#include "routed/endpoint.hpp"
#include "shared_memory/fabric.hpp"
#include "tcp/fabric.hpp"

#include <utility>

namespace tutti::transport {

template <class N, class F>
routed<N, F> routed<N, F>::from_environment(const typename N::limits& within_host,
                                            const typename F::limits& between_hosts) {
    return routed(bootstrap::identity_from_environment(), within_host, between_hosts);
}

template <class N, class F>
routed<N, F>::routed(bootstrap::identity me, const typename N::limits& within_host,
                     const typename F::limits& between_hosts)
    : it_(std::make_unique<endpoint>(std::move(me), within_host, F::fabric::checked(between_hosts))) {}
template <class N, class F>
routed<N, F>::routed(routed&&) noexcept = default;
template <class N, class F>
routed<N, F>& routed<N, F>::operator=(routed&&) noexcept = default;
template <class N, class F>
routed<N, F>::~routed() = default;

template <class N, class F>
int routed<N, F>::rank() const noexcept {
    return it_->session().who().rank;
}

template <class N, class F>
int routed<N, F>::size() const noexcept {
    return it_->session().who().size;
}

template <class N, class F>
int routed<N, F>::node(int peer) const noexcept {
    return it_->session().node(peer);
}

template <class N, class F>
bool routed<N, F>::crowded() const noexcept {
    return it_->crowded();
}

template <class N, class F>
std::shared_ptr<std::byte> routed<N, F>::allocate(std::size_t bytes) const {
    return it_->near().allocate(bytes);
}

template <class N, class F>
inline auto routed<N, F>::open(context k, int peer) -> channel& {
    return it_->open(k, peer);
}

template <class N, class F>
inline void routed<N, F>::send(channel& c, transfer& x) {
    it_->send(c, x);
}

template <class N, class F>
inline void routed<N, F>::receive(channel& c, transfer& x) {
    it_->receive(c, x);
}

template <class N, class F>
inline const std::byte* routed<N, F>::look(channel& c, const transfer& x) {
    return it_->near().look(*c.near, x);
}

template <class N, class F>
inline bool routed<N, F>::release(channel& c, const transfer&) {
    return it_->near().release(*c.near);
}

template <class N, class F>
void routed<N, F>::close(context k) {
    it_->close(k);
}

template <class N, class F>
inline bool routed<N, F>::progress() {
    return it_->progress();
}

template <class N, class F>
void routed<N, F>::wait(clock::time_point until) {
    it_->wait(until);
}

template <class N, class F>
void routed<N, F>::wake() noexcept {
    it_->near().wake();
}

template <class N, class F>
void routed<N, F>::tell(const notice& n) {
    it_->session().plane().tell(n);
}

template <class N, class F>
bool routed<N, F>::fetch(notice& n) {
    return it_->fetch(n);
}

template <class N, class F>
std::optional<std::string> routed<N, F>::broken(int peer) {
    return it_->broken(peer);
}

template <class N, class F>
peer_name routed<N, F>::name_of(int peer) const {
    const auto& m = it_->session().table().members[static_cast<std::size_t>(peer)];
    if (it_->is_near(peer)) return {m.host, "process " + std::to_string(m.pid)};
    return {m.host, bootstrap::endpoint{m.address, m.port}.text()};
}

} // namespace tutti::transport
