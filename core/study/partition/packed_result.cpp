#include "core/study/partition/packed_result.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/poll.h"
#include "core/study/partition/outcome.h"

namespace tessera::study {

namespace {

using partition::AcceleratorShare;
using partition::JoinPlan;
using partition::LayerPlan;
using partition::LevelPlan;
using partition::Plan;

static_assert(std::endian::native == std::endian::little, "numbers are kept as they stand in memory");

/// How a field stands in the bytes: words and truths as one byte, times by their value, numbers as they are.
template <typename Field>
using Kept = std::conditional_t<std::is_enum_v<Field> || std::is_same_v<Field, bool>, std::uint8_t,
                                std::conditional_t<std::is_same_v<Field, Seconds>, double, Field>>;

double valueOf(Seconds time) {
    return time.value;
}
template <typename Field>
Field valueOf(Field field) {
    return field;
}

class Packer {
public:
    template <typename Number>
    void put(Number number) {
        static_assert(std::is_arithmetic_v<Number>);
        const auto at = bytes_.size();
        bytes_.resize(at + sizeof(Number));
        std::memcpy(bytes_.data() + at, &number, sizeof(Number));
    }
    void put(std::string_view text) {
        put(static_cast<std::uint64_t>(text.size()));
        bytes_ += text;
    }
    /// One number of every row, with how many there are.
    template <typename Rows, typename Row, typename Field>
    void column(const Rows& rows, Field Row::*field, std::size_t /*most*/ = 0) {
        put(static_cast<std::uint64_t>(rows.size()));
        for (const Row& row : rows) put(static_cast<Kept<Field>>(valueOf(row.*field)));
    }
    template <typename Rows>
    void degrees(const Rows& rows) {
        for (const auto& row : rows)
            for (const std::int64_t cuts : {row.degrees.batch, row.degrees.in, row.degrees.out}) put(cuts);
    }
    void number(double value) { put(value); }
    /// Rows as columns are read from them, and what becomes of them then.
    template <typename Rows>
    const Rows& open(const Rows& rows) {
        return rows;
    }
    template <typename Rows>
    void close(const Rows& /*rows*/, const Rows& /*opened*/) {}
    /// What must hold of the rows is the reader's business.
    void require(bool /*holds*/) const {}
    std::string take() { return std::move(bytes_); }

private:
    std::string bytes_;
};

class Unpacker {
public:
    Unpacker(std::string_view bytes, const std::string& file) : bytes_(bytes), file_(&file) {}

    template <typename Number>
    Number take() {
        Number number{};
        require(bytes_.size() >= sizeof(Number));
        std::memcpy(&number, bytes_.data(), sizeof(Number));
        bytes_.remove_prefix(sizeof(Number));
        return number;
    }
    std::string_view text() {
        const auto size = take<std::uint64_t>();
        require(size <= bytes_.size());
        const std::string_view text = bytes_.substr(0, size);
        bytes_.remove_prefix(size);
        return text;
    }
    /// A number of every row; whole ones are below `max`. The first column makes the rows, each of the number's size
    /// in the bytes at least.
    template <typename Row, typename Field>
    void column(std::vector<Row>& rows, Field Row::*field, std::size_t max = 0) {
        const auto size = take<std::uint64_t>();
        require(size <= bytes_.size() / sizeof(Kept<Field>));
        if (rows.empty()) rows.resize(size);
        require(rows.size() == size);
        for (Row& row : rows) {
            const auto number = take<Kept<Field>>();
            if constexpr (std::is_integral_v<Kept<Field>> && !std::is_same_v<Field, bool>)
                require(number >= 0 && static_cast<std::size_t>(number) < max);
            if constexpr (std::is_same_v<Field, Seconds>)
                (row.*field).value = number;
            else
                row.*field = static_cast<Field>(number);
        }
    }
    template <typename Row>
    void degrees(std::vector<Row>& rows) {
        for (Row& row : rows)
            for (std::int64_t* cuts : {&row.degrees.batch, &row.degrees.in, &row.degrees.out}) {
                *cuts = take<std::int64_t>();
                require(*cuts >= 1);
            }
    }
    void number(double& value) { value = take<double>(); }
    /// Rows as columns are put into them, and what they make.
    template <typename Rows>
    std::vector<typename Rows::value_type> open(const Rows& /*rows*/) {
        return {};
    }
    template <typename Rows>
    void close(Rows& rows, std::vector<typename Rows::value_type>& opened) {
        rows = std::move(opened);
    }
    void end() const { require(bytes_.empty()); }
    void require(bool holds) const {
        if (!holds)
            throw DataError({.file = *file_, .field = "rows"}, "damaged",
                            "the rows of all layers as they were written");
    }

private:
    std::string_view bytes_;
    const std::string* file_;
};

constexpr std::size_t kRowsPerMillisecond = 20'000;

void pollRows(std::size_t rows) {
    poll(1000 * rows / kRowsPerMillisecond);
}

// The columns, in the order of the bytes. A visitor packs them or puts them back.

template <typename Visitor, typename Level>
void visitRows(Visitor& visitor, Level& level, std::size_t layers) {
    constexpr std::size_t kStates = 3;
    auto&& weighted = visitor.open(level.layers);
    auto&& joins = visitor.open(level.joins);
    auto&& other = visitor.open(level.other);
    visitor.column(weighted, &LayerPlan::layer, layers);
    visitor.column(weighted, &LayerPlan::type, kStates);
    visitor.column(weighted, &LayerPlan::compute);
    visitor.column(weighted, &LayerPlan::intra);
    visitor.column(weighted, &LayerPlan::inter);
    visitor.column(joins, &JoinPlan::layer, layers);
    visitor.column(joins, &JoinPlan::layout, kStates);
    visitor.column(joins, &JoinPlan::compute);
    visitor.column(joins, &JoinPlan::inter);
    if (level.parts > 0) {
        visitor.degrees(weighted);
        visitor.degrees(joins);
    }
    visitor.column(other, &partition::Transfers::intra);
    visitor.column(other, &partition::Transfers::inter);
    visitor.require(other.empty() || other.size() == layers);
    visitor.close(level.layers, weighted);
    visitor.close(level.joins, joins);
    visitor.close(level.other, other);
    pollRows(level.layers.size() + level.joins.size());
}

template <typename Visitor, typename Share>
void visitShare(Visitor& visitor, Share& share, std::size_t splits, std::size_t layers) {
    visitor.number(share.parameters);
    visitor.number(share.activations);
    visitor.column(share.path, &partition::PathStep::split, splits);
    visitor.column(share.path, &partition::PathStep::first);
    auto&& compute = visitor.open(share.layerCompute);
    visitor.column(compute, &Seconds::value);
    visitor.require(compute.empty() || compute.size() == layers);
    visitor.close(share.layerCompute, compute);
}

template <typename Visitor, typename AnyPlan>
void visitPlan(Visitor& visitor, AnyPlan& plan, std::size_t layers) {
    for (auto& level : plan.levels) visitRows(visitor, level, layers);
    for (auto& share : plan.shares) visitShare(visitor, share, plan.levels.size(), layers);
}

}  // namespace

std::size_t rowCount(const Plan& plan) {
    std::size_t rows = 0;
    for (const LevelPlan& level : plan.levels) rows += level.layers.size() + level.joins.size();
    return rows;
}

std::size_t rowCount(const Result& result) {
    std::size_t rows = 0;
    for (const Plan& plan : result.outcome.get<PartitionOutcome>().result.plans) rows += rowCount(plan);
    return rows;
}

Plan withoutRows(const Plan& plan) {
    Plan hollow;
    hollow.strategy = plan.strategy;
    hollow.stepTime = plan.stepTime;
    hollow.throughput = plan.throughput;
    hollow.speedupOverDp = plan.speedupOverDp;
    hollow.cost = plan.cost;
    hollow.lowerBound = plan.lowerBound;
    hollow.gap = plan.gap;
    hollow.optimal = plan.optimal;
    hollow.boundsCost = plan.boundsCost;
    hollow.endedBy = plan.endedBy;
    hollow.idle = plan.idle;
    hollow.boundsSubsets = plan.boundsSubsets;
    hollow.subsets = plan.subsets;
    hollow.subsetsRuledOut = plan.subsetsRuledOut;
    hollow.subsetsLeft = plan.subsetsLeft;
    hollow.fits = plan.fits;
    for (const LevelPlan& level : plan.levels)
        hollow.levels.push_back({.level = level.level,
                                 .group = level.group,
                                 .accelerators = level.accelerators,
                                 .occurrences = level.occurrences,
                                 .parts = level.parts,
                                 .ratio = level.ratio,
                                 .objective = level.objective,
                                 .sideI = level.sideI,
                                 .sideJ = level.sideJ,
                                 .lowerBound = level.lowerBound,
                                 .hardware = level.hardware,
                                 .layers = {},
                                 .joins = {},
                                 .other = {}});
    for (const AcceleratorShare& share : plan.shares)
        hollow.shares.push_back({.kind = share.kind,
                                 .count = share.count,
                                 .compute = share.compute,
                                 .communication = share.communication,
                                 .memory = share.memory,
                                 .capacity = share.capacity,
                                 .fits = share.fits});
    return hollow;
}

std::string packRows(const Plan& plan) {
    Packer packer;
    visitPlan(packer, plan, 0);
    return packer.take();
}

void unpackRows(std::string_view bytes, Plan& plan, std::size_t layers, const std::string& file) {
    Unpacker from(bytes, file);
    visitPlan(from, plan, layers);
    from.end();
}

std::string packResult(const Result& result) {
    const auto& outcome = result.outcome.get<PartitionOutcome>();
    Result hollow;
    hollow.study = result.study;
    hollow.inputs = result.inputs;
    hollow.assumptions = result.assumptions;
    hollow.warnings = result.warnings;
    hollow.version = result.version;
    PartitionOutcome head;
    head.model = outcome.model;
    head.fleet = outcome.fleet;
    head.accelerators = outcome.accelerators;
    head.groups = outcome.groups;
    head.result.batch = outcome.result.batch;
    head.result.costs = outcome.result.costs;
    head.result.names = outcome.result.names;
    for (const Plan& plan : outcome.result.plans) head.result.plans.push_back(withoutRows(plan));
    hollow.outcome = std::move(head);
    std::string text;
    writeJson(hollow, [&](std::string_view part) { text += part; });
    Packer packer;
    packer.put(std::string_view(text));
    for (const Plan& plan : outcome.result.plans) packer.put(std::string_view(packRows(plan)));
    return packer.take();
}

Result unpackResult(std::string_view bytes, const Study& study, const std::string& file) {
    Unpacker from(bytes, file);
    Result result = readResult(JsonDocument::parse(std::string(from.text()), file).root(), study);
    auto& outcome = result.outcome.get<PartitionOutcome>().result;
    for (Plan& plan : outcome.plans) unpackRows(from.text(), plan, outcome.names.size(), file);
    from.end();
    return result;
}

}  // namespace tessera::study
