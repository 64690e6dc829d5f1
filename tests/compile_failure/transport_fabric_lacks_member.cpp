// expect: tutti: a member is missing in one of this world's fabrics F
// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <transport/world/world.ipp>

#include <optional>
#include <string>
#include <vector>

namespace transport = tutti::transport;

struct incomplete {
    struct limits {};
    struct channel {};
    using fabric = incomplete;
    static constexpr const char* name = "incomplete";
    static constexpr transport::medium between = transport::medium::network;
    static constexpr bool views = false, allocates = false, needs_sockets = false;

    explicit incomplete(const limits&) {}
    [[nodiscard]] std::vector<std::byte> card() const { return {}; }
    [[nodiscard]] static bool reaches(const transport::fabric_end&, const transport::fabric_end&) { return true; }
    [[nodiscard]] static std::string name_of(const transport::bootstrap::member&) { return {}; }
    void join(const transport::joined_world&) {}
    [[nodiscard]] channel* open(transport::context, int) { return &only_; }
    void send(channel&, transport::transfer&) {}
    void receive(channel&, transport::transfer&) {}
    void close(transport::context) {}
    [[nodiscard]] bool progress() { return false; }
    [[nodiscard]] std::optional<std::string> broken(int) { return std::nullopt; }
    [[nodiscard]] bool arm() { return false; }
    void disarm() {}
    [[nodiscard]] int descriptor() const { return -1; }
#ifdef CONTROL
    [[nodiscard]] transport::clock::time_point due() const { return transport::clock::time_point::max(); }
#endif
    void finish() {}
    [[nodiscard]] std::size_t untaken(int) { return 0; }

private:
    channel only_;
};

bool moves(transport::bootstrap::identity me) {
    transport::world<incomplete> w{std::move(me)};
    return w.progress();
}
