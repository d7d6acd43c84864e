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

    /// Makes a list entry by entry.
    class Maker {
    public:
        void add(const Value& value) {
            key_.clear();
            appendKey(key_, value);
            if (places_.empty() || key_ != before_) {
                const auto next = static_cast<std::uint32_t>(different_.size());
                const auto [found, isNew] = numbers_.try_emplace(key_, next);
                if (isNew) different_.push_back(value);
                places_.push_back(found->second);
                before_.swap(key_);
            } else {
                places_.push_back(places_.back());  // as most are
            }
        }
        std::size_t size() const { return places_.size(); }
        Repeated list() && {
            Repeated list;
            list.width_ = widthFor(different_.size());
            list.size_ = places_.size();
            list.places_.resize(list.size_ * list.width_);
            for (std::size_t i = 0; i < list.size_; ++i)
                for (std::size_t byte = 0; byte < list.width_; ++byte)
                    list.places_[i * list.width_ + byte] = static_cast<std::uint8_t>(places_[i] >> (8 * byte));
            different_.shrink_to_fit();
            list.different_ = std::move(different_);
            return list;
        }

    private:
        std::unordered_map<std::string, std::uint32_t> numbers_;  ///< of values, by their keys
        std::vector<Value> different_;
        std::vector<std::uint32_t> places_;
        std::string key_, before_;
    };

    Repeated() = default;
    Repeated(const std::vector<Value>& values) {  // NOLINT(google-explicit-constructor): it is that list
        Maker maker;
        for (const Value& value : values) maker.add(value);
        *this = std::move(maker).list();
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
