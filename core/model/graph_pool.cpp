#include "core/model/graph_pool.h"

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace tessera::model {

namespace {

/// Bytes that two values have in common only where they are the same to the last bit.
template <typename Number>
void append(std::string& key, Number number) {
    key.append(reinterpret_cast<const char*>(&number), sizeof(number));
}

void append(std::string& key, const std::string& text) {
    append(key, text.size());
    key += text;
}

template <typename Entry>
void append(std::string& key, const std::vector<Entry>& list) {
    append(key, list.size());
    for (const Entry& entry : list) append(key, entry);
}

std::string keyOf(const Attributes& attributes) {
    std::string key;
    for (const auto& [name, value] : attributes) {
        append(key, name);
        append(key, value.index());
        std::visit([&](const auto& held) { append(key, held); }, value);
    }
    return key;
}

}  // namespace

SharedText GraphPool::text(std::string_view text) {
    return text.empty() ? SharedText() : texts_.shared(text, [&] { return text; });
}

SharedShape GraphPool::shape(const Shape& shape) {
    if (!shape) return {};
    const std::string_view key(reinterpret_cast<const char*>(shape->data()), shape->size() * sizeof(std::int64_t));
    return shapes_.shared(key, [&] { return shape; });
}

Shared<Attributes> GraphPool::attributes(Attributes attributes) {
    if (attributes.empty()) return {};
    return attributes_.shared(keyOf(attributes), [&] { return std::move(attributes); });
}

}  // namespace tessera::model
