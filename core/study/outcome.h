#pragma once

#include <any>
#include <concepts>
#include <type_traits>
#include <utility>

namespace tessera::study {

/// Result of an engine: a value of a type that only the engine, its catalogue and its views know.
class Outcome {
public:
    Outcome() = default;
    template <typename T>
    // NOLINTNEXTLINE(google-explicit-constructor, bugprone-forwarding-reference-overload): never that of an Outcome
    requires(!std::same_as<std::decay_t<T>, Outcome> && std::copy_constructible<std::decay_t<T>>) Outcome(T&& value)
        : value_(std::forward<T>(value)) {}

    /// Null where it is of another engine.
    template <typename T>
    const T* as() const {
        return std::any_cast<T>(&value_);
    }
    /// Throws std::bad_any_cast where it is of another engine.
    template <typename T>
    const T& get() const {
        return std::any_cast<const T&>(value_);
    }
    template <typename T>
    T& get() {
        return std::any_cast<T&>(value_);
    }

private:
    std::any value_;
};

}  // namespace tessera::study
