// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/linkage.hpp"
#include "greeting.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tutti::transport::bootstrap {

/// Proves on both sides of a byte stream that the other one knows the secret, and which rank it is. No I/O of its own:
/// while neither accepted() nor refused(), write outgoing() and tell sent(); read at most wanted() bytes and feed()
/// them. When refused, write the rest of outgoing() if that is possible without waiting, then close.
///
/// Messages, of fixed sizes so that nothing behind them is read:
///   greeting   connecting -> accepting   magic 4, version 2, purpose 1, encrypted 1, fabric 1, lane 2, port 2, rank 4,
///                                        peer 4, size 4, world 8, address 16, nonce 32
///   challenge  accepting -> connecting   magic 4, version 2, 0 0, nonce 32
///   proof      connecting -> accepting   HMAC(secret, "connecting" | greeting | challenge)
///   answer     accepting -> connecting   status 1, HMAC(secret, "accepting" | status | greeting | challenge)
/// The labels differ, so that no side's proof serves as the other's. The connecting side proves first. So a stranger
/// gets nothing to guess a secret from, and hears no more than "refused".
///
/// A relay between the two can change no message. If it made a rank connect to a port or address of its own, that is in
/// the greeting and is refused. Both sides then share keys() that the relay does not know. They protect the frames of
/// the control connection (control_frames.hpp), and data where these are encrypted (fabrics/tcp/encrypted_record.hpp).
class handshake {
public:
    /// The side that connects, saying `mine`.
    TUTTI_COLD [[nodiscard]] static handshake connecting(const secret& s, const hello& mine) {
        handshake h(s, stage::challenge_header);
        h.theirs_ = mine;
        std::swap(h.theirs_.rank, h.theirs_.peer);
        h.greeting_ = detail::encode_greeting(mine);
        h.outgoing_ = h.greeting_;
        return h;
    }

    /// The side that was connected to.
    [[nodiscard]] static handshake accepting(const secret& s, const hello_rules& rules) {
        handshake h(s, stage::greeting_header);
        h.rules_ = rules;
        return h;
    }

    /// The bytes that want out.
    [[nodiscard]] std::span<const std::byte> outgoing() const { return std::span(outgoing_).subspan(sent_); }

    /// The first n of outgoing() have been written.
    void sent(std::size_t n) { sent_ = std::min(outgoing_.size(), sent_ + n); }

    /// How many bytes are to be read next; 0 if none.
    [[nodiscard]] std::size_t wanted() const { return length_of(stage_) - incoming_.size(); }

    /// Takes up to wanted() bytes that were read. Whatever they are, it only ever ends in refused().
    TUTTI_COLD void feed(std::span<const std::byte> in) {
        while (!in.empty() && wanted() > 0) {
            const auto n = std::min(wanted(), in.size());
            incoming_.insert(incoming_.end(), in.begin(), in.begin() + static_cast<std::ptrdiff_t>(n));
            in = in.subspan(n);
            if (wanted() == 0) advance(std::exchange(incoming_, {}));
        }
    }

    /// Each side knows that the other holds the secret, and nothing is left to write.
    [[nodiscard]] bool accepted() const { return stage_ == stage::accepted && outgoing().empty(); }
    [[nodiscard]] bool refused() const { return stage_ == stage::refused; }
    /// Refused by a peer that has proven the secret: another try would not help. Any other refusal may come from a
    /// foreign process that holds the port. That includes "wrong secret", which cannot be proven to a stranger.
    [[nodiscard]] bool refused_for_good() const { return refused() && proven_ && !too_early_; }
    /// Refused by rank 0, which has proven the secret, until it makes its next world.
    [[nodiscard]] bool too_early() const noexcept { return too_early_; }

    /// The side that was connected to: a whole greeting has come, and the proof is still to come.
    [[nodiscard]] bool greeted() const noexcept { return stage_ == stage::proof; }

    /// The side that was connected to: the other side does not know the secret.
    [[nodiscard]] bool wrong_secret() const noexcept { return wrong_secret_; }

    /// Why it was refused, in words for this side's own user.
    [[nodiscard]] std::string_view reason() const { return reason_; }

    /// The other side's hello; for the side that connects, the answer to its own. Valid once accepted.
    [[nodiscard]] const hello& theirs() const { return theirs_; }

    /// Keys that only the two sides of this very handshake can know. Precondition: accepted().
    TUTTI_COLD [[nodiscard]] traffic_keys keys() const {
        bytes salt = greeting_;
        salt.insert(salt.end(), challenge_.begin(), challenge_.end());
        traffic_keys k;
        k.out = secret_.derive(salt, connects_ ? "tutti: connecting to accepting" : "tutti: accepting to connecting");
        k.in = secret_.derive(salt, connects_ ? "tutti: accepting to connecting" : "tutti: connecting to accepting");
        return k;
    }

private:
    enum class stage : std::uint8_t {
        greeting_header,
        greeting,
        challenge_header,
        challenge,
        proof,
        answer,
        accepted,
        refused,
    };
    enum class status : std::uint8_t {
        welcome,
        wrong_secret,
        other_world,
        other_rank,
        other_size,
        senseless,
        other_place,
        other_privacy,
        too_early,
    };
    using bytes = std::vector<std::byte>;

    handshake(const secret& s, stage first) : secret_(s), stage_(first), connects_(first == stage::challenge_header) {}

    static std::size_t length_of(stage s) {
        switch (s) {
        case stage::greeting_header:
        case stage::challenge_header: return detail::header_bytes;
        case stage::greeting: return detail::greeting_bytes - detail::header_bytes;
        case stage::challenge: return detail::challenge_bytes - detail::header_bytes;
        case stage::proof: return sizeof(digest);
        case stage::answer: return 1 + sizeof(digest);
        default: return 0;
        }
    }

    TUTTI_COLD void advance(const bytes& in) {
        switch (stage_) {
        case stage::greeting_header: take_header(in, greeting_, stage::greeting); break;
        case stage::greeting: take_greeting(in); break;
        case stage::challenge_header: take_header(in, challenge_, stage::challenge); break;
        case stage::challenge: take_challenge(in); break;
        case stage::proof: take_proof(in); break;
        case stage::answer: take_answer(in); break;
        default: break;
        }
    }

    /// Header and rest come apart, so that another version's messages may have other lengths.
    TUTTI_COLD void take_header(const bytes& in, bytes& message, stage next) {
        tutti::detail::byte_reader r(in);
        if (r.integer<std::uint32_t>() != detail::magic) return refuse("the other side does not speak this protocol");
        const auto version = r.integer<std::uint16_t>();
        message = in;
        stage_ = next;
        if (version == wire_version) return;
        if (next == stage::greeting) write(detail::encode_challenge());
        refuse("the other side speaks wire version " + std::to_string(version) + ", this rank version " +
               std::to_string(wire_version) + ": all ranks must be built from the same release");
    }

    TUTTI_COLD void take_greeting(const bytes& in) {
        greeting_.insert(greeting_.end(), in.begin(), in.end());
        theirs_ = detail::decode_greeting(greeting_);
        challenge_ = detail::encode_challenge();
        write(challenge_);
        stage_ = stage::proof;
    }

    void take_challenge(const bytes& in) {
        challenge_.insert(challenge_.end(), in.begin(), in.end());
        const auto proof = proof_of("connecting", {});
        write({proof.begin(), proof.end()});
        stage_ = stage::answer;
    }

    void take_proof(const bytes& in) {
        wrong_secret_ = !equals(in, proof_of("connecting", {}));
        answer(wrong_secret_ ? status::wrong_secret : judge());
    }

    TUTTI_COLD void answer(status s) {
        bytes out{static_cast<std::byte>(s)};
        const auto proof = s == status::wrong_secret ? digest{} : proof_of("accepting", s);
        out.insert(out.end(), proof.begin(), proof.end());
        write(out);
        if (s == status::welcome)
            stage_ = stage::accepted;
        else
            refuse(std::string("a peer was refused: ") + std::string(words_of(s)));
    }

    TUTTI_COLD void take_answer(const bytes& in) {
        const auto s = static_cast<status>(in[0]);
        if (s == status::wrong_secret) return refuse("this rank's secret was refused");
        if (!equals(std::span(in).subspan(1), proof_of("accepting", s)))
            return refuse("the other side does not know this rank's secret");
        proven_ = true;
        too_early_ = s == status::too_early;
        if (s == status::welcome)
            stage_ = stage::accepted;
        else
            refuse(std::string("refused: ") + std::string(words_of(s)));
    }

    [[nodiscard]] status judge() const {
        const auto& h = theirs_;
        if (h.what != rules_.what || h.lane >= rules_.lanes || h.fabric >= rules_.fabrics) return status::senseless;
        if (h.what == purpose::control) {
            if (h.peer != 0) return status::senseless;
            return rules_.too_early && rules_.too_early(h) ? status::too_early : status::welcome;
        }
        if (h.world != rules_.world) return status::other_world;
        if (h.size != rules_.size) return status::other_size;
        if (h.peer != rules_.rank) return status::other_rank;
        if (h.at != rules_.at) return status::other_place;
        if (h.encrypted != rules_.encrypted) return status::other_privacy;
        return h.rank >= 0 && h.rank < h.size && h.rank != h.peer ? status::welcome : status::senseless;
    }

    static std::string_view words_of(status s) {
        switch (s) {
        case status::wrong_secret: return "wrong secret";
        case status::other_world: return "it belongs to another world";
        case status::other_rank: return "another rank was wanted";
        case status::other_size: return "the worlds differ in size";
        case status::other_place:
            return "another address or port was wanted than the one that it listens at: somebody may stand between";
        case status::other_privacy: return "only one of the two encrypts its data";
        case status::too_early:
            return "this process has had its part in the world there, and rank 0 has not begun another one";
        default: return "the hello makes no sense here";
        }
    }

    TUTTI_COLD [[nodiscard]] digest proof_of(std::string_view label, std::optional<status> s) const {
        bytes text;
        tutti::detail::byte_writer w(text);
        w.text(label, label.size());
        w.integer(static_cast<std::uint8_t>(s.value_or(status::welcome)));
        w.raw(greeting_);
        w.raw(challenge_);
        return secret_.prove(text);
    }

    static bool equals(std::span<const std::byte> in, const digest& expected) {
        digest given{};
        std::copy_n(in.begin(), std::min(in.size(), given.size()), given.begin());
        return same(given, expected);
    }

    void write(const bytes& more) { outgoing_.insert(outgoing_.end(), more.begin(), more.end()); }

    void refuse(std::string why) {
        reason_ = std::move(why);
        stage_ = stage::refused;
    }

    secret secret_;
    hello_rules rules_;
    stage stage_;
    bool connects_;
    hello theirs_;
    bytes greeting_;
    bytes challenge_;
    bytes outgoing_;
    bytes incoming_;
    std::size_t sent_ = 0;
    bool wrong_secret_ = false;
    bool proven_ = false; // the answer came from a peer that knows the secret
    bool too_early_ = false;
    std::string reason_;
};

} // namespace tutti::transport::bootstrap
