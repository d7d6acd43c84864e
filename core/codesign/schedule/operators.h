#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/enum_names.h"
#include "core/base/json.h"

namespace tessera::codesign {

/// Cores that an operator runs on: a tensor core, a vector core, or both of a pair at once.
enum class CoreKind { tensor, vector, fused };

inline constexpr EnumNames<CoreKind> kCoreKindNames{"TC", "VC", "TCandVC"};  ///< in files
constexpr std::string_view nameOf(CoreKind kind) {
    return kCoreKindNames.of(kind);
}

/// One operator of a layer with its two latencies, in the unit of its file.
struct Operator {
    std::int64_t id = 0;    ///< as the file numbers it
    std::string name = {};  ///< may be empty
    CoreKind kind = CoreKind::tensor;
    double latency = 0;          ///< on one core (on one pair where fused)
    double allCoresLatency = 0;  ///< on all cores, with nothing beside it
    bool operator==(const Operator&) const = default;
};

/// The operators of a layer or layer slice; edges are pairs of positions in `operators`. Free of cycles.
struct OperatorGraph {
    std::string name = {};
    std::string description = {};
    std::optional<std::int64_t> tensorCores = {};  ///< of the accelerator that the latencies were estimated for
    std::optional<std::int64_t> vectorCores = {};
    std::vector<Operator> operators = {};
    std::vector<std::pair<std::size_t, std::size_t>> edges = {};
    bool operator==(const OperatorGraph&) const = default;
};

inline constexpr std::size_t kMaxOperators = 10'000;
inline constexpr std::size_t kMaxDependencies = 1'000'000;
inline constexpr std::int64_t kMaxCores = 1'000'000;
/// Longest latency of one operator: sums of ten thousand whole ones are exact.
inline constexpr double kLongestLatency = 1e11;

/// Reads a list of operators. Throws DataError.
OperatorGraph readOperators(const JsonDocument& document);

/// Returns the path of a file, or of a bundled list by its name. Throws UsageError.
std::string operatorsPath(const std::string& nameOrPath);

/// The positions of the operators so that each comes after those it depends on; the earliest position first where there
/// is a choice. Shorter than the list where the edges have a cycle.
std::vector<std::size_t> topologicalOrder(std::size_t operators,
                                          const std::vector<std::pair<std::size_t, std::size_t>>& edges);

}  // namespace tessera::codesign
