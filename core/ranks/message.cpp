#include "core/ranks/message.h"

#include <fmt/format.h>
#include <sys/random.h>
#include <sys/socket.h>

#include <array>
#include <bit>
#include <cerrno>

#include "core/base/error.h"
#include "core/base/sha256.h"

namespace tessera::ranks {

namespace {

constexpr std::size_t kHead = 5;  ///< four bytes of length, one of kind
constexpr std::size_t kBlock = 64;

void addLittleEndian(std::string& bytes, std::uint64_t number, int count) {
    for (int i = 0; i < count; ++i) bytes += static_cast<char>(number >> (8 * i) & 0xFF);
}

std::uint64_t littleEndian(std::string_view bytes) {
    std::uint64_t number = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i)
        number |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
    return number;
}

}  // namespace

Packer& Packer::whole(std::uint64_t number) {
    addLittleEndian(bytes_, number, 8);
    return *this;
}

Packer& Packer::real(double number) {
    return whole(std::bit_cast<std::uint64_t>(number));
}

Packer& Packer::text(std::string_view text) {
    whole(text.size());
    bytes_ += text;
    return *this;
}

void Unpacker::fail(const std::string& found, const std::string& expected) const {
    throw DataError({.where = std::string(what_)}, found, expected);
}

std::string_view Unpacker::take(std::size_t count) {
    if (count > rest_.size()) fail("its end", "more bytes");
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
}

std::uint64_t Unpacker::whole(std::uint64_t max) {
    const std::uint64_t number = littleEndian(take(8));
    if (number > max) fail(fmt::format("the number {}", number), fmt::format("at most {}", max));
    return number;
}

double Unpacker::real() {
    return std::bit_cast<double>(whole());
}

std::string Unpacker::text(std::size_t max) {
    return std::string(take(whole(max)));
}

void Unpacker::end() const {
    if (!rest_.empty()) fail("more bytes", "its end");
}

std::string framed(MessageKind kind, std::string_view contents) {
    if (contents.size() > kLargestMessage)
        throw FileError(fmt::format("a message to another process would have {} bytes; expected at most {}",
                                    contents.size(), kLargestMessage));
    std::string bytes;
    bytes.reserve(kHead + contents.size());
    addLittleEndian(bytes, contents.size(), 4);
    bytes += static_cast<char>(kind);
    bytes += contents;
    return bytes;
}

void Inbox::add(std::string_view bytes) {
    // What was read is forgotten once it is most of it.
    if (read_ >= bytes_.size() / 2) {
        bytes_.erase(0, read_);
        read_ = 0;
    }
    bytes_ += bytes;
}

std::optional<Message> Inbox::next() {
    const std::string_view rest = std::string_view(bytes_).substr(read_);
    if (rest.size() < kHead) return std::nullopt;
    const auto size = static_cast<std::size_t>(littleEndian(rest.substr(0, 4)));
    const auto kind = static_cast<unsigned char>(rest[4]);
    if (kind > static_cast<unsigned char>(kLastKind))
        throw DataError({.where = "a message"}, fmt::format("kind {}", kind), "one that there is");
    if (size > max_)
        throw DataError({.where = "a message"}, fmt::format("{} bytes", size), fmt::format("at most {}", max_));
    if (rest.size() < kHead + size) return std::nullopt;
    Message message{static_cast<MessageKind>(kind), std::string(rest.substr(kHead, size))};
    read_ += kHead + size;
    return message;
}

bool Outbox::send(int socket) {
    while (!isEmpty()) {
        const std::string& first = *messages_.front();
        const ssize_t sent = ::send(socket, first.data() + sent_, first.size() - sent_, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && errno == EINTR) continue;
        if (sent < 0) return errno == EAGAIN || errno == EWOULDBLOCK;
        sent_ += static_cast<std::size_t>(sent);
        if (sent_ < first.size()) continue;
        messages_.pop_front();
        sent_ = 0;
    }
    return true;
}

bool receive(int socket, Inbox& inbox) {
    std::array<char, 65'536> buffer{};
    for (int i = 0; i < 16; ++i) {
        const ssize_t read = ::recv(socket, buffer.data(), buffer.size(), MSG_DONTWAIT);
        if (read < 0 && errno == EINTR) continue;
        if (read < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return true;
        if (read <= 0) return false;
        inbox.add({buffer.data(), static_cast<std::size_t>(read)});
        if (static_cast<std::size_t>(read) < buffer.size()) return true;
    }
    return true;
}

std::string randomToken() {
    std::array<unsigned char, 32> bytes{};
    if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
        throw FileError("the system gives no random numbers");
    std::string token;
    for (const unsigned char byte : bytes) token += fmt::format("{:02x}", byte);
    return token;
}

std::string proofOf(std::string_view token, std::string_view text) {
    std::string key = token.size() > kBlock ? sha256(token) : std::string(token);
    key.resize(kBlock, '\0');
    std::string inner = key, outer = key;
    for (char& c : inner) c = static_cast<char>(c ^ 0x36);
    for (char& c : outer) c = static_cast<char>(c ^ 0x5C);
    return sha256(outer + sha256(inner.append(text)));
}

bool isSameSecret(std::string_view a, std::string_view b) {
    if (a.size() != b.size()) return false;
    unsigned differs = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        differs |= static_cast<unsigned>(static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]));
    return differs == 0;
}

}  // namespace tessera::ranks
