#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/quantity.h"

namespace tessera {

/// Appends the bytes of a number to the key of a value of a Repeated list.
template <typename Number>
void appendBytes(std::string& key, Number number) {
    key.append(reinterpret_cast<const char*>(&number), sizeof(number));
}

inline void appendKey(std::string& key, Seconds time) {
    appendBytes(key, time.value);
}

/// Where a list stands in an iteration: entries are made when they are read.
template <typename List>
class EntryIterator {
public:
    using iterator_category = std::input_iterator_tag;
    using value_type = typename List::value_type;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = value_type;

    EntryIterator() = default;
    EntryIterator(const List& list, std::size_t at) : list_(&list), at_(at) {}
    value_type operator*() const { return (*list_)[at_]; }
    EntryIterator& operator++() {
        ++at_;
        return *this;
    }
    EntryIterator operator++(int) {
        EntryIterator old = *this;
        ++*this;
        return old;
    }
    bool operator==(const EntryIterator& other) const { return at_ == other.at_; }

private:
    const List* list_ = nullptr;
    std::size_t at_ = 0;
};

/// A list whose entries are mostly equal to others: each different one is kept once, and beside it one to four bytes
/// for every place. It is made of a whole list. A value says what it is told apart by: `appendKey(key, value)` appends
/// bytes that only equal values, to the last bit, have in common.
template <typename Value>
class Repeated {
public:
    using value_type = Value;

    Repeated() = default;
    Repeated(const std::vector<Value>& values) {  // NOLINT(google-explicit-constructor): it is that list
        std::unordered_map<std::string, std::uint32_t> numbers;
        std::vector<std::uint32_t> places;
        places.reserve(values.size());
        std::string key, before;
        for (const Value& value : values) {
            key.clear();
            appendKey(key, value);
            if (places.empty() || key != before) {
                const auto [found, isNew] = numbers.try_emplace(key, static_cast<std::uint32_t>(different_.size()));
                if (isNew) different_.push_back(value);
                places.push_back(found->second);
                before.swap(key);
            } else {
                places.push_back(places.back());  // as most are
            }
        }
        width_ = widthFor(different_.size());
        size_ = values.size();
        places_.resize(size_ * width_);
        for (std::size_t i = 0; i < size_; ++i)
            for (std::size_t byte = 0; byte < width_; ++byte)
                places_[i * width_ + byte] = static_cast<std::uint8_t>(places[i] >> (8 * byte));
        different_.shrink_to_fit();
    }

    Repeated(std::initializer_list<Value> values) : Repeated(std::vector<Value>(values)) {}

    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    const Value& operator[](std::size_t index) const {
        std::size_t number = 0;
        for (std::size_t byte = width_; byte-- > 0;) number = number << 8U | places_[index * width_ + byte];
        return different_[number];
    }
    const Value& at(std::size_t index) const {
        if (index >= size_) throw std::out_of_range("an entry beyond the end of a list");
        return (*this)[index];
    }
    EntryIterator<Repeated> begin() const { return {*this, 0}; }
    EntryIterator<Repeated> end() const { return {*this, size_}; }
    std::vector<Value> all() const { return {begin(), end()}; }
    void clear() { *this = {}; }

private:
    /// Bytes that the numbers of so many values need: none for a single one.
    static std::size_t widthFor(std::size_t values) {
        std::size_t width = 0;
        for (std::size_t max = values == 0 ? 0 : values - 1; max > 0; max >>= 8U) ++width;
        return width;
    }

    std::vector<Value> different_;
    std::vector<std::uint8_t> places_;
    std::size_t size_ = 0;
    std::size_t width_ = 0;
};

}  // namespace tessera
