#include "core/model/operators/operator_table.h"

#include <array>
#include <functional>
#include <string>
#include <unordered_map>
#include <utility>

#include "core/model/operators/families.h"
#include "core/model/operators/rule_context.h"

namespace tessera::model {

namespace {

using Family = std::vector<OperatorKind> (*)();

constexpr std::array<Family, 9> kFamilies{
    matrixKinds,  elementwiseKinds, poolingKinds,   normalisationKinds, reductionKinds,
    shapingKinds, indexingKinds,    generatorKinds, gradientKinds,
};

std::vector<OperatorKind>& all() {
    static std::vector<OperatorKind> rows = [] {
        std::vector<OperatorKind> kinds;
        for (const Family family : kFamilies)
            for (OperatorKind& kind : family()) kinds.push_back(std::move(kind));
        return kinds;
    }();
    return rows;
}

using Key = std::pair<std::string_view, std::string_view>;

struct KeyHash {
    std::size_t operator()(const Key& key) const {
        const std::hash<std::string_view> hash;
        return hash(key.first) * 31 + hash(key.second);
    }
};

using Index = std::unordered_map<Key, const OperatorKind*, KeyHash>;

Index indexOf(const std::vector<OperatorKind>& kinds) {
    Index rows;
    for (const OperatorKind& kind : kinds) rows.emplace(Key{kind.domain, kind.id}, &kind);
    return rows;
}

Index& index() {
    static Index rows = indexOf(all());
    return rows;
}

const OperatorKind* exactly(std::string_view type, std::string_view domain) {
    const auto row = index().find(Key{domain, type});
    return row == index().end() ? nullptr : row->second;
}

}  // namespace

const std::vector<OperatorKind>& operatorKinds() {
    return all();
}

void addOperatorKind(OperatorKind kind) {
    all().push_back(std::move(kind));
    index() = indexOf(all());  // the rows may lie elsewhere now
}

const OperatorKind* findOperatorKind(std::string_view type, std::string_view domain) {
    if (domain == "ai.onnx" || domain == "tessera") domain = {};
    if (const OperatorKind* const row = exactly(type, domain)) return row;
    // Optimised files put some contributed operators into the standard domain.
    return domain.empty() ? exactly(type, kContributed) : nullptr;
}

const OperatorKind* kindOf(const Operator& op) {
    return op.opaque.empty() ? findOperatorKind(op.type, op.domain) : nullptr;
}

std::optional<std::int64_t> vectorFlops(const OperatorKind& kind, const CountContext& op) {
    if (kind.flops != nullptr) return kind.flops(op);
    const auto part = [](std::int64_t perElement, auto elements) {
        return perElement == 0 ? std::optional<std::int64_t>(0) : times(perElement, elements());
    };
    return plus(part(kind.flopsPerOutput, [&] { return op.outElements(0); }),
                part(kind.flopsPerInput, [&] { return op.inElements(0); }));
}

}  // namespace tessera::model
