// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/language.hpp"
#include "../../base/own_process.hpp"

#include "../contract/any.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tutti::transport {

namespace bootstrap {
struct identity;
}
namespace status {
struct page;
}

namespace detail {

template <class... Fabrics>
class world_endpoint;

/// One end of a message stream on one of several fabrics.
struct routed_channel {
    std::size_t fabric; ///< its number in the world's list
    void* end;          ///< of that fabric's channel type
};

/// A fabric whose messages may lie in memory of a GPU.
template <class D>
concept reaches_devices = requires { requires D::reaches_devices; };

/// A fabric whose peers can reach memory of the user's own, once it is registered.
template <class D>
concept registers_memory = requires { requires D::registers; };

/// Of a list of fabrics: the first, the last, and the channel type of a world of them.
template <class First, class... More>
struct fabric_list {
    using channel = routed_channel;
    static constexpr medium near = First::between, far = fabric_list<More...>::far;
};
template <class Only>
struct fabric_list<Only> {
    using channel = typename Only::channel;
    static constexpr medium near = Only::between, far = Only::between;
};

} // namespace detail

/// A transport made of fabrics: each pair of ranks exchanges its messages over the first of the list that reaches both.
/// `tcp`, `shared_memory` and `routed` are worlds; a fabric of your own (see fabric.hpp) joins a list like theirs.
///
/// - One world, one control plane, one place to wait: the rules for faults hold for all fabrics.
/// - Everything happens in the calls of the one thread that drives it; rank 0 alone has a second thread, for the
///   rendezvous, which is on no data path.
/// - Waiting spins on all fabrics and yields (at once when the host is crowded), then sleeps in one
///   io_context: on one descriptor of each fabric, the control plane, and connections that are on their way. A fabric
///   that is the only one may sleep its own way.
/// - The fabric of each pair of ranks is decided once, from all cards: a link that fails is an error.
template <class... Fabrics>
class world {
    using list = detail::fabric_list<Fabrics...>;

public:
    /// One end of a message stream: that of the only fabric, or one of several.
    using channel = typename list::channel;
    /// Between ranks of a node, and between nodes: lists go from near to far.
    /// @{
    static constexpr medium near = list::near, far = list::far;
    /// @}
    /// Some fabric can lend messages; some fabric has memory that peers read in place.
    /// @{
    static constexpr bool views = (Fabrics::views || ...), allocates = (Fabrics::allocates || ...);
    /// @}

    /// Joins the world that the environment describes, see bootstrap::identity_from_environment(). Blocks until all
    /// ranks have come. Precondition on all ranks: the same size, rendezvous, secret and fabrics. Throws a bootstrap
    /// error.
    [[nodiscard]] static world from_environment();
    /// The same with settings, one for each fabric, in the order of the list.
    [[nodiscard]] static world from_environment(const typename Fabrics::limits&... how);

    /// The same with a given identity. Precondition on all ranks: as each fabric has it for its limits.
    explicit world(bootstrap::identity me);
    /// The same with settings, one for each fabric, in the order of the list.
    world(bootstrap::identity me, const typename Fabrics::limits&... how);
    /// Takes the place of the other one, which can only be destroyed or assigned to.
    world(world&&) noexcept;
    /// Leaves its own world first.
    world& operator=(world&&) noexcept;
    /// Leaves the world. In a child of the process that has made this, does nothing.
    ~world();

    /// Throws invalid_argument in a child of the process that has made this.
    void require_own() const { it_.get_deleter().maker.require_this(); }

    /// As the table of the concept `transport` has it.
    /// @{
    [[nodiscard]] int rank() const noexcept;
    [[nodiscard]] int size() const noexcept;
    [[nodiscard]] int node(int peer) const noexcept;
    [[nodiscard]] bool crowded() const noexcept;
    /// @}

    /// Symmetric memory: zeroed, aligned to pages, and mapped by peers of this host that receive from it, who read and
    /// reduce it where it lies; to others it is memory as any other. Not collective; any thread; it may outlive the
    /// transport. 256 pieces of it a rank, beyond that it is memory as any other. Throws std::system_error.
    [[nodiscard]] std::shared_ptr<std::byte> allocate(std::size_t bytes) const
        requires(allocates);

    /// Peers of this host copy these bytes of the user's own from where they lie, as what allocate() gives; see
    /// communicator::register_memory. Any thread.
    void register_memory(std::byte* p, std::size_t bytes) const
        requires(detail::registers_memory<Fabrics> || ...);

    /// The memory is a GPU's: the host must not touch it.
    [[nodiscard]] bool is_on_device(const std::byte* p) const
        requires(detail::reaches_devices<Fabrics> || ...);

    /// As the table of the concept `transport` has it.
    /// @{
    channel& open(context k, int peer);
    void send(channel& c, transfer& x);
    void receive(channel& c, transfer& x);
    /// @}
    /// Only messages of a fabric that can show them are ever viewed.
    [[nodiscard]] const std::byte* look(channel& c, const transfer& x)
        requires(views);
    /// As the table of the concept `viewing_transport` has it.
    /// @{
    [[nodiscard]] bool release(channel& c, const transfer&)
        requires(views);
    [[nodiscard]] bool answer(channel& c, std::size_t offset, const std::byte* from, std::size_t bytes)
        requires(views);
    /// @}
    /// As the tables of the concepts `transport` and `lingering_transport` have it.
    /// @{
    void close(context k);
    bool progress();
    void wait(clock::time_point until);
    void wake() noexcept;
    /// @}
    /// As the table of the concept `awaitable_transport` has it.
    /// @{
    [[nodiscard]] int descriptor();
    [[nodiscard]] bool arm();
    void disarm(bool to_step) noexcept;
    [[nodiscard]] clock::time_point due() const noexcept;
    void call(bool wanted) noexcept;
    /// @}

    /// Where this rank tells other processes of its user what it does; null if it does not. The engine writes it.
    [[nodiscard]] status::page* status_page() noexcept;

    /// As the tables of the concepts `transport` and `lingering_transport` have it.
    /// @{
    void tell(const notice& n);
    [[nodiscard]] bool fetch(notice& n);
    [[nodiscard]] std::vector<untaken> leave(clock::time_point until);
    [[nodiscard]] std::optional<std::string> broken(int peer);
    [[nodiscard]] std::optional<std::string> shortage(int peer);
    [[nodiscard]] culprit blamed_by(int peer);
    [[nodiscard]] peer_name name_of(int peer) const;
    /// @}
    /// The fabric that messages to that rank go by, and how it addresses it, in words. Of this rank itself: the
    /// processors that it may run on, and whether its host is crowded.
    [[nodiscard]] std::string way_to(int peer) const;

private:
    /// What only the process that has made it may reach.
    [[nodiscard]] auto& own() const { return require_own(), *it_; }

    std::unique_ptr<detail::world_endpoint<Fabrics...>, tutti::detail::delete_in_own_process> it_;
};

} // namespace tutti::transport
