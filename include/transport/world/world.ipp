// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "world.hpp"

#include "../sockets/errors.hpp"
#include "endpoint.hpp"

#include <utility>

namespace tutti::transport {

template <class... F>
world<F...> world<F...>::from_environment() {
    return world(bootstrap::identity_from_environment());
}
template <class... F>
world<F...> world<F...>::from_environment(const typename F::limits&... how) {
    return world(bootstrap::identity_from_environment(), how...);
}

template <class... F>
world<F...>::world(bootstrap::identity me) : world(std::move(me), typename F::limits{}...) {}
template <class... F>
TUTTI_COLD world<F...>::world(bootstrap::identity me, const typename F::limits&... how) try
    : it_(new detail::world_endpoint<F...>(std::move(me), detail::checked<F>(how)...)) {
} catch (const std::system_error& e) {
    bootstrap::bootstrap_failed(e.what(), bootstrap::shortage_in_words(e.code().value()).value_or(""), me.rank);
}
template <class... F>
world<F...>::world(world&&) noexcept = default;
template <class... F>
world<F...>& world<F...>::operator=(world&&) noexcept = default;
template <class... F>
world<F...>::~world() = default;

template <class... F>
int world<F...>::rank() const noexcept {
    return it_->session().who().rank;
}
template <class... F>
int world<F...>::size() const noexcept {
    return it_->session().who().size;
}
template <class... F>
int world<F...>::node(int peer) const noexcept {
    return it_->session().node(peer);
}
template <class... F>
bool world<F...>::crowded() const noexcept {
    return it_->crowded();
}

template <class... F>
std::shared_ptr<std::byte> world<F...>::allocate(std::size_t bytes) const
    requires(allocates)
{
    return own().allocate(bytes);
}

template <class... F>
void world<F...>::register_memory(std::byte* p, std::size_t bytes) const
    requires(detail::registers_memory<F> || ...)
{
    own().register_memory(p, bytes);
}

template <class... F>
bool world<F...>::is_on_device(const std::byte* p) const
    requires(detail::reaches_devices<F> || ...)
{
    return it_->is_on_device(p);
}

template <class... F>
inline auto world<F...>::open(context k, int peer) -> channel& {
    return own().open(k, peer);
}
template <class... F>
inline void world<F...>::send(channel& c, transfer& x) {
    it_->send(c, x);
}
template <class... F>
inline void world<F...>::receive(channel& c, transfer& x) {
    it_->receive(c, x);
}
template <class... F>
inline const std::byte* world<F...>::look(channel& c, const transfer& x)
    requires(views)
{
    return it_->look(c, x);
}
template <class... F>
inline bool world<F...>::release(channel& c, const transfer&)
    requires(views)
{
    return it_->release(c);
}
template <class... F>
inline bool world<F...>::answer(channel& c, std::size_t offset, const std::byte* from, std::size_t bytes)
    requires(views)
{
    return it_->answer(c, offset, from, bytes);
}
template <class... F>
void world<F...>::close(context k) {
    it_->close(k);
}
template <class... F>
inline bool world<F...>::progress() {
    return it_->progress();
}
template <class... F>
void world<F...>::wait(clock::time_point until) {
    it_->wait(until);
}
template <class... F>
void world<F...>::wake() noexcept {
    it_->wake();
}

template <class... F>
TUTTI_COLD int world<F...>::descriptor() {
    return own().descriptor();
}
template <class... F>
TUTTI_COLD bool world<F...>::arm() {
    return it_->arm();
}
template <class... F>
TUTTI_COLD void world<F...>::disarm(bool to_step) noexcept {
    it_->disarm(to_step);
}
template <class... F>
TUTTI_COLD clock::time_point world<F...>::due() const noexcept {
    return it_->due();
}
template <class... F>
TUTTI_COLD void world<F...>::call(bool wanted) noexcept {
    it_->call(wanted);
}

template <class... F>
status::page* world<F...>::status_page() noexcept {
    return it_->status_page();
}
template <class... F>
void world<F...>::tell(const notice& n) {
    own().tell(n);
}
template <class... F>
bool world<F...>::fetch(notice& n) {
    return it_->fetch(n);
}
template <class... F>
std::vector<untaken> world<F...>::leave(clock::time_point until) {
    return own().leave(until);
}
template <class... F>
std::optional<std::string> world<F...>::broken(int peer) {
    return it_->broken(peer);
}
template <class... F>
culprit world<F...>::blamed_by(int peer) {
    return it_->blamed_by(peer);
}
template <class... F>
std::optional<std::string> world<F...>::shortage(int peer) {
    return it_->shortage(peer);
}
template <class... F>
peer_name world<F...>::name_of(int peer) const {
    return it_->name_of(peer);
}
template <class... F>
std::string world<F...>::way_to(int peer) const {
    return it_->way_to(peer);
}

} // namespace tutti::transport
