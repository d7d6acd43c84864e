#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

/// What processes that share work tell each other: messages over a stream, each its kind and its contents.
namespace tessera::ranks {

enum class MessageKind : std::uint8_t {
    greeting,   ///< of rank 0 to whoever connects: its version, a number used once
    hello,      ///< of a worker: a number of its own, its proof, what it is
    welcome,    ///< of rank 0: its proof
    setup,      ///< of rank 0: what a work's tasks have in common
    tasks,      ///< of rank 0
    answers,    ///< of a worker
    unable,     ///< of a worker: why it cannot take part in a work
    stop,       ///< of rank 0: the tasks of this work, and of those before it, are not wanted any more
    heartbeat,  ///< of either: it is there
    end,        ///< of rank 0: there is no more work
};
inline constexpr MessageKind kLastKind = MessageKind::end;

/// Bytes of a message's contents; before both have proved who they are, of the small ones alone.
inline constexpr std::size_t kLargestMessage = std::size_t{1} << 30;
inline constexpr std::size_t kLargestStrange = 4096;

struct Message {
    MessageKind kind = MessageKind::heartbeat;
    std::string contents = {};
};

/// Numbers and texts one after the other, as the contents of a message.
class Packer {
public:
    Packer& whole(std::uint64_t number);
    Packer& real(double number);  ///< exact, NaN and infinities too
    Packer& text(std::string_view text);
    const std::string& bytes() const { return bytes_; }

private:
    std::string bytes_;
};

/// Reads what Packer wrote. Throws DataError where the contents are cut off or too long; `what` names them.
class Unpacker {
public:
    Unpacker(std::string_view bytes, std::string_view what) : rest_(bytes), what_(what) {}
    std::uint64_t whole(std::uint64_t max = ~std::uint64_t{0});
    double real();
    std::string text(std::size_t max = kLargestMessage);
    bool isAtEnd() const { return rest_.empty(); }
    void end() const;  ///< throws unless all is read

private:
    std::string_view take(std::size_t count);
    [[noreturn]] void fail(const std::string& found, const std::string& expected) const;

    std::string_view rest_;
    std::string_view what_;
};

/// The bytes of a message as they are sent.
std::string framed(MessageKind kind, std::string_view contents);

/// Messages out of the bytes that come, in parts as they come. Memory grows with what has come, not with what a length
/// announces.
class Inbox {
public:
    /// Largest contents that are taken from now on.
    void allow(std::size_t max) { max_ = max; }
    void add(std::string_view bytes);
    /// The next message, where it is whole. Throws DataError for an unknown kind and contents that are too large.
    std::optional<Message> next();

private:
    std::size_t max_ = kLargestStrange;
    std::string bytes_;
    std::size_t read_ = 0;
};

/// Bytes on their way into a socket that does not block. Those of long messages to many are shared.
class Outbox {
public:
    using Bytes = std::shared_ptr<const std::string>;

    void add(MessageKind kind, std::string_view contents) {
        add(std::make_shared<const std::string>(framed(kind, contents)));
    }
    /// A message that is framed already.
    void add(Bytes message) { messages_.push_back(std::move(message)); }
    bool isEmpty() const { return messages_.empty(); }
    /// Sends what the socket takes. False where the connection is gone.
    bool send(int socket);

private:
    std::deque<Bytes> messages_;
    std::size_t sent_ = 0;  ///< of the first
};

/// Adds what the socket has to the inbox, up to a megabyte. False where the connection has ended or failed.
bool receive(int socket, Inbox& inbox);

/// A text that nobody guesses: 256 random bits as hexadecimal digits. Throws FileError where the system has none.
std::string randomToken();
/// Shows knowledge of a token without telling it: keyed hash (HMAC, RFC 2104, over hexadecimal SHA-256) of a text.
std::string proofOf(std::string_view token, std::string_view text);
/// Compares in a time that does not depend on where texts differ.
bool isSameSecret(std::string_view a, std::string_view b);

}  // namespace tessera::ranks
