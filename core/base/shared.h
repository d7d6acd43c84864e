#pragma once

#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <boost/smart_ptr/intrusive_ref_counter.hpp>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace tessera {

/// A value that its copies share, as large as a pointer: for what is the default in most of a million structs, or the
/// same in many of them. It is given as a whole and never changed in place.
template <typename Value>
class Shared {
public:
    Shared() = default;
    Shared(Value value) {  // NOLINT(google-explicit-constructor): it is that value
        if (!(value == none())) held_ = new Held(std::move(value));
    }

    operator const Value&() const { return get(); }  // NOLINT(google-explicit-constructor): likewise
    const Value& get() const { return held_ ? held_->value : none(); }
    const Value* operator->() const { return &get(); }
    const Value& operator*() const { return get(); }
    auto begin() const { return get().begin(); }
    auto end() const { return get().end(); }
    bool operator==(const Shared& other) const { return held_ == other.held_ || get() == other.get(); }
    bool operator==(const Value& other) const { return get() == other; }

private:
    struct Held : boost::intrusive_ref_counter<Held> {
        explicit Held(Value given) : value(std::move(given)) {}
        Value value;
    };
    static const Value& none() {
        static const Value kNone{};
        return kNone;
    }

    boost::intrusive_ptr<const Held> held_;  ///< null = the default
};

/// A text that its copies share. It reads like a constant std::string.
class SharedText {
public:
    SharedText() = default;
    SharedText(std::string text) : text_(std::move(text)) {}              // NOLINT(google-explicit-constructor)
    SharedText(std::string_view text) : SharedText(std::string(text)) {}  // NOLINT(google-explicit-constructor)
    SharedText(const char* text) : SharedText(std::string(text)) {}       // NOLINT(google-explicit-constructor)

    const std::string& get() const { return text_.get(); }
    operator const std::string&() const { return get(); }  // NOLINT(google-explicit-constructor): it is that text
    operator std::string_view() const { return get(); }    // NOLINT(google-explicit-constructor)
    bool empty() const { return get().empty(); }
    std::size_t size() const { return get().size(); }
    const std::string* operator->() const { return &get(); }
    bool operator==(const SharedText& other) const { return text_ == other.text_; }
    bool operator==(std::string_view other) const { return get() == other; }
    bool operator==(const std::string& other) const { return get() == other; }
    bool operator==(const char* other) const { return get() == other; }

private:
    Shared<std::string> text_;
};

/// Finds the one of equal values that was met first, so that all can share it. Values are told apart by their keys. It
/// keeps at most `kMost`: what is met after that, and is new, shares with nothing.
template <typename Value>
class SharedPool {
public:
    static constexpr std::size_t kMost = 65'536;

    /// `make` is called where there is no such value yet.
    template <typename Make>
    Value shared(std::string_view key, const Make& make) {
        if (const auto found = known_.find(key); found != known_.end()) return found->second;
        Value made(make());
        if (known_.size() < kMost) known_.emplace(key, made);
        return made;
    }

private:
    /// Looks up by a view, without a copy of the key.
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view key) const { return std::hash<std::string_view>{}(key); }
    };

    std::unordered_map<std::string, Value, Hash, std::equal_to<>> known_;
};

}  // namespace tessera
