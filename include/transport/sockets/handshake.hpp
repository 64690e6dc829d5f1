// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/linkage.hpp"
#include "crypto.hpp"
#include "errors.hpp"
#include "greeting.hpp"
#include "secret.hpp"
#include "tls.hpp"
#include "tls_keys.hpp"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
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
/// A handshake of TLS 1.3 by the key of the conversation (tls.hpp), and inside it
///   greeting   connecting -> accepting   what it wants: see hello
///   answer     accepting -> connecting   magic 4, version 2, status 1
/// It reads whole records and nothing behind them. So after it, both sides may leave TLS for plain bytes, or go on
/// inside: release(). The connecting side is done when it has the answer, since its own handshake looks finished while
/// the other side refuses it.
///
/// A stranger whose first record asks for nothing that there is costs the side that was connected to a look. One that
/// is shaped as a rank's, or was one, costs a handshake, which waits for let_in().
///
/// A relay between the two can change no message. If it made a rank connect to a port or address of its own, that is in
/// the greeting and is refused.
class handshake {
public:
    static constexpr std::size_t most_hello_bytes = 1024;  ///< of the first record
    static constexpr std::size_t most_record_bytes = 2048; ///< of another
    static constexpr std::size_t record_header_bytes = 5;

    /// The side that connects, saying `mine`.
    TUTTI_COLD [[nodiscard]] static handshake connecting(const secret& s, const hello& mine) {
        handshake h(s, stage::shaking, true);
        h.theirs_ = mine;
        std::swap(h.theirs_.rank, h.theirs_.peer);
        h.greeting_ = detail::encode_greeting(mine);
        h.key_->mine = tls::conversation::of(mine);
        h.key_->identity = h.key_->mine.identity();
        h.open();
        h.go_on();
        return h;
    }

    /// The side that was connected to.
    [[nodiscard]] static handshake accepting(const secret& s, const hello_rules& rules) {
        handshake h(s, stage::hello, false);
        h.rules_ = rules;
        h.key_->mine = {rules.what, -1, rules.rank, rules.world};
        return h;
    }

    /// The bytes that want out.
    [[nodiscard]] std::span<const std::byte> outgoing() const { return std::span(outgoing_).subspan(sent_); }

    /// The first n of outgoing() have been written.
    void sent(std::size_t n) { sent_ = std::min(outgoing_.size(), sent_ + n); }

    /// How many bytes are to be read next; 0 if none.
    [[nodiscard]] std::size_t wanted() const {
        if (stage_ >= stage::accepted || knocks()) return 0;
        if (incoming_.size() < record_header_bytes) return record_header_bytes - incoming_.size();
        return record_header_bytes + text_bytes() - incoming_.size();
    }

    /// The side that was connected to: a first record has come that may be a rank's.
    [[nodiscard]] bool knocks() const noexcept { return stage_ == stage::knocking; }
    /// Precondition: knocks().
    TUTTI_COLD void let_in() {
        stage_ = stage::shaking;
        take(std::exchange(incoming_, {}));
    }

    /// Takes up to wanted() bytes that were read. Whatever they are, it only ever ends in refused().
    TUTTI_COLD void feed(std::span<const std::byte> in) {
        while (!in.empty() && wanted() > 0) {
            const auto n = std::min(wanted(), in.size());
            incoming_.insert(incoming_.end(), in.begin(), in.begin() + static_cast<std::ptrdiff_t>(n));
            in = in.subspan(n);
            if (const auto why = objection()) return refuse(std::string(*why));
            if (incoming_.size() < record_header_bytes || wanted() > 0) continue;
            if (stage_ != stage::hello)
                take(std::exchange(incoming_, {}));
            else if (const auto why = objection_to_hello())
                turn_away(std::string(*why));
            else
                stage_ = stage::knocking;
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

    /// The side that was connected to: a whole first record has come, and the proof is still to come.
    [[nodiscard]] bool greeted() const noexcept {
        return !connects_ && (knocks() || (state_ && stage_ < stage::accepted));
    }

    /// The side that was connected to: the other side does not know the secret.
    [[nodiscard]] bool wrong_secret() const noexcept { return wrong_secret_; }

    /// Why it was refused, in words for this side's own user.
    [[nodiscard]] std::string_view reason() const { return reason_; }

    /// The other side's hello; for the side that connects, the answer to its own. Valid once accepted; where the secret
    /// was wrong, the rank that the other side claims to be.
    [[nodiscard]] const hello& theirs() const { return theirs_; }

    /// To go on inside. Precondition: accepted().
    [[nodiscard]] tls::state release() {
        SSL_set_app_data(state_.get(), nullptr);
        return std::move(state_);
    }

private:
    enum class stage : std::uint8_t {
        hello, ///< the side that was connected to: before the first record
        knocking,
        shaking,
        greeting,
        answer,
        accepted,
        refused,
    };
    enum class status : std::uint8_t {
        welcome,
        other_world,
        other_rank,
        other_size,
        senseless,
        other_place,
        other_privacy,
        too_early,
        other_release,
    };
    static constexpr std::string_view foreign = "the other side does not speak this protocol";
    static constexpr std::size_t answer_bytes = 7;
    static constexpr std::uint8_t is_handshake = 22, is_client_hello = 1;

    handshake(const secret& s, stage first, bool connects)
        : key_(std::make_unique<tls::key_holder>()), stage_(first), connects_(connects) {
        key_->of = s;
    }

    /// Of the record that comes.
    [[nodiscard]] std::size_t text_bytes() const {
        return 256 * std::to_integer<std::size_t>(incoming_[3]) + std::to_integer<std::size_t>(incoming_[4]);
    }
    /// To what has come of the record.
    [[nodiscard]] std::optional<std::string_view> objection() const {
        const auto at = [this](std::size_t i) { return std::to_integer<std::uint8_t>(incoming_[i]); };
        const bool first = stage_ == stage::hello;
        const std::size_t n = incoming_.size();
        if (first && at(0) != is_handshake) return foreign;
        if (n > 1 && at(1) != 3) return foreign;
        if (n >= record_header_bytes &&
            (text_bytes() == 0 || text_bytes() > (first ? most_hello_bytes : most_record_bytes)))
            return foreign;
        if (first && n > record_header_bytes && at(record_header_bytes) != is_client_hello) return foreign;
        return std::nullopt;
    }
    TUTTI_COLD void take(const std::vector<std::byte>& record) {
        try {
            if (!state_) open();
            go_on(record);
        } catch (const error& e) { // OpenSSL has ended
            refuse(e.what());
        }
    }
    /// The identity of the key stands in clear, where a hello of this library has it. To look at it proves nothing, and
    /// keeps strangers cheap. Who calls itself so is given no other key.
    [[nodiscard]] std::optional<std::string_view> objection_to_hello() const {
        constexpr std::size_t bytes_behind = 4 + 2 + 1 + sizeof(digest); // age, lengths, one proof
        constexpr std::size_t bytes = tls::conversation::identity_bytes;
        const auto at = [this](std::size_t i) { return std::to_integer<std::size_t>(incoming_[i]); };
        if (incoming_.size() < bytes_behind + bytes || text_bytes() != 4 + 65536 * at(6) + 256 * at(7) + at(8))
            return foreign; // OpenSSL would make room for so much
        const auto identity = std::span(incoming_).subspan(incoming_.size() - bytes_behind - bytes, bytes);
        const auto wanted =
            tls::conversation::from_identity({reinterpret_cast<const char*>(identity.data()), identity.size()});
        if (!wanted) return foreign;
        if (wanted->what != rules_.what) return words_of(status::senseless);
        if (wanted->what == purpose::data && wanted->world != rules_.world) return words_of(status::other_world);
        return wanted->to == rules_.rank ? std::nullopt : std::optional(words_of(status::other_rank));
    }
    /// Says so, by a record of the protocol that nobody proves.
    void turn_away(std::string why) {
        constexpr std::array<std::uint8_t, 7> no_such_key{21, 3, 3, 0, 2, 2, 115}; // an alert, fatal
        const auto all = std::as_bytes(std::span(no_such_key));
        outgoing_.assign(all.begin(), all.end());
        refuse(std::move(why));
    }

    TUTTI_COLD void open() {
        const bootstrap::detail::use_of_openssl held;
        detail::crypto::get(held);
        state_.reset(SSL_new(tls::detail::contexts::of(connects_)));
        for (const auto set : {&SSL_set0_rbio, &SSL_set0_wbio}) {
            BIO* const memory = state_ ? BIO_new(BIO_s_mem()) : nullptr;
            if (!memory) throw std::bad_alloc();
            set(state_.get(), memory);
        }
        SSL_set_app_data(state_.get(), key_.get());
        if (connects_)
            SSL_set_connect_state(state_.get());
        else
            SSL_set_accept_state(state_.get());
    }
    /// As far as what has come leads.
    TUTTI_COLD void go_on(std::span<const std::byte> record = {}) {
        const detail::use_of_openssl held;
        if (!held.lasts()) return refuse(detail::use_of_openssl::has_ended);
        const auto bytes_in = static_cast<int>(record.size());
        if (!record.empty() && BIO_write(SSL_get_rbio(state_.get()), record.data(), bytes_in) != bytes_in)
            throw std::bad_alloc();
        for (int code = 1; code == 1 && stage_ < stage::accepted;) {
            ERR_clear_error();
            code = step();
            if (code != 1 && stage_ < stage::accepted && SSL_get_error(state_.get(), code) != SSL_ERROR_WANT_READ)
                fail();
        }
        char* text = nullptr;
        BIO* const out = SSL_get_wbio(state_.get());
        const auto bytes = static_cast<std::size_t>(BIO_get_mem_data(out, &text));
        const auto all = std::as_bytes(std::span(text, bytes));
        outgoing_.insert(outgoing_.end(), all.begin(), all.end());
        static_cast<void>(BIO_reset(out));
    }
    [[nodiscard]] int step() {
        std::array<std::byte, detail::greeting_bytes + 1> landing;
        std::size_t bytes = 0;
        if (stage_ == stage::shaking) {
            const int code = SSL_do_handshake(state_.get());
            if (code != 1) return code;
            if (connects_ && SSL_session_reused(state_.get()) != 1) {
                refuse("the other side does not know this rank's secret");
                return 0;
            }
            if (connects_) write(greeting_);
            stage_ = connects_ ? stage::answer : stage::greeting;
            return 1;
        }
        const int code = SSL_read_ex(state_.get(), landing.data(), landing.size(), &bytes);
        if (code != 1) return code;
        const auto in = std::span<const std::byte>(landing).first(bytes);
        if (connects_)
            take_answer(in);
        else
            take_greeting(in);
        return 0;
    }
    void fail() {
        const unsigned long code = ERR_peek_error();
        ERR_clear_error(); // the program has errors of its own
        if (key_->failed || ERR_GET_REASON(code) == ERR_R_MALLOC_FAILURE) throw std::bad_alloc();
        switch (ERR_GET_REASON(code)) {
        case SSL_R_BINDER_DOES_NOT_VERIFY:
            wrong_secret_ = true;
            theirs_.rank = key_->theirs ? key_->theirs->from : -1;
            return refuse("a peer was refused: wrong secret");
        case SSL_R_SSLV3_ALERT_ILLEGAL_PARAMETER: return refuse("this rank's secret was refused");
        case SSL_R_TLSV1_ALERT_UNKNOWN_PSK_IDENTITY: return refuse("refused: another world, rank or use was wanted");
        case SSL_R_CERTIFICATE_VERIFY_FAILED: return refuse("the other side does not know this rank's secret");
        default:
            const char* const words = ERR_reason_error_string(code);
            return refuse(std::string(foreign) + (words ? " (" + std::string(words) + ")" : std::string()));
        }
    }

    TUTTI_COLD void take_greeting(std::span<const std::byte> in) {
        tutti::detail::byte_reader r(in);
        const auto magic = r.integer<std::uint32_t>();
        const auto version = r.integer<std::uint16_t>();
        if (!r.ok() || magic != detail::magic) return answer(status::senseless);
        if (version != wire_version) return answer(status::other_release, version);
        if (in.size() != detail::greeting_bytes) return answer(status::senseless);
        theirs_ = detail::decode_greeting(in);
        answer(key_->theirs && *key_->theirs == tls::conversation::of(theirs_) ? judge() : status::senseless);
    }
    TUTTI_COLD void answer(status s, std::uint16_t version = wire_version) {
        std::vector<std::byte> out;
        tutti::detail::byte_writer w(out);
        w.integer(detail::magic);
        w.integer(wire_version);
        w.integer(static_cast<std::uint8_t>(s));
        write(out);
        if (s == status::welcome)
            stage_ = stage::accepted;
        else
            refuse(s == status::other_release ? words_of_release(version)
                                              : "a peer was refused: " + std::string(words_of(s)));
    }
    TUTTI_COLD void take_answer(std::span<const std::byte> in) {
        tutti::detail::byte_reader r(in);
        const auto magic = r.integer<std::uint32_t>();
        const auto version = r.integer<std::uint16_t>();
        const auto s = static_cast<status>(r.integer<std::uint8_t>());
        proven_ = true;
        if (!r.ok() || magic != detail::magic) return refuse("the other side answers what makes no sense");
        if (version != wire_version) return refuse(words_of_release(version));
        too_early_ = s == status::too_early;
        if (s == status::welcome && in.size() == answer_bytes)
            stage_ = stage::accepted;
        else
            refuse(std::string("refused: ") + std::string(words_of(s)));
    }
    void write(std::span<const std::byte> more) {
        std::size_t bytes = 0;
        if (SSL_write_ex(state_.get(), more.data(), more.size(), &bytes) != 1)
            bootstrap_failed("OpenSSL cannot encrypt");
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
    static std::string words_of_release(std::uint16_t version) {
        return "the other side speaks wire version " + std::to_string(version) + ", this rank version " +
               std::to_string(wire_version) + ": all ranks must be built from the same release";
    }

    void refuse(std::string why) {
        reason_ = std::move(why);
        stage_ = stage::refused;
    }

    std::unique_ptr<tls::key_holder> key_; // whose place OpenSSL knows
    hello_rules rules_;
    stage stage_;
    bool connects_;
    hello theirs_;
    std::vector<std::byte> greeting_;
    std::vector<std::byte> outgoing_;
    std::vector<std::byte> incoming_; // of one record
    std::size_t sent_ = 0;
    bool wrong_secret_ = false;
    bool proven_ = false; // the other side has answered by the key
    bool too_early_ = false;
    std::string reason_;
    tls::state state_; // goes first: it knows key_
};

} // namespace tutti::transport::bootstrap
