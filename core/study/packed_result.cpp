#include "core/study/packed_result.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/poll.h"

namespace tessera::study {

namespace {

using partition::AcceleratorShare;
using partition::JoinPlan;
using partition::LayerPlan;
using partition::LevelPlan;
using partition::Plan;

static_assert(std::endian::native == std::endian::little, "numbers are kept as they stand in memory");

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
    template <typename Rows, typename Get>
    void column(const Rows& rows, const Get& get) {
        put(static_cast<std::uint64_t>(rows.size()));
        for (const auto& row : rows) put(get(row));
    }
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
    /// A number of every row. The first column makes the rows, each of `Number`'s size in the bytes at least.
    template <typename Number, typename Rows, typename Set>
    void column(Rows& rows, const Set& set) {
        const auto size = take<std::uint64_t>();
        require(size <= bytes_.size() / sizeof(Number));
        if (rows.empty()) rows.resize(size);
        require(rows.size() == size);
        for (auto& row : rows) set(row, take<Number>());
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

void packLevel(Packer& packer, const LevelPlan& level) {
    packer.column(level.layers, [](const LayerPlan& row) { return row.layer; });
    packer.column(level.layers, [](const LayerPlan& row) { return static_cast<std::uint8_t>(row.type); });
    packer.column(level.layers, [](const LayerPlan& row) { return row.compute.value; });
    packer.column(level.layers, [](const LayerPlan& row) { return row.intra.value; });
    packer.column(level.layers, [](const LayerPlan& row) { return row.inter.value; });
    packer.column(level.joins, [](const JoinPlan& row) { return row.layer; });
    packer.column(level.joins, [](const JoinPlan& row) { return static_cast<std::uint8_t>(row.layout); });
    packer.column(level.joins, [](const JoinPlan& row) { return row.compute.value; });
    packer.column(level.joins, [](const JoinPlan& row) { return row.inter.value; });
    packer.column(level.other, [](const partition::Transfers& row) { return row.intra.value; });
    packer.column(level.other, [](const partition::Transfers& row) { return row.inter.value; });
    pollRows(level.layers.size() + level.joins.size());
}

void unpackLevel(Unpacker& from, LevelPlan& level, std::size_t layers) {
    const auto layer = [&](auto& row, std::int32_t index) {
        from.require(index >= 0 && static_cast<std::size_t>(index) < layers);
        row.layer = index;
    };
    constexpr std::uint8_t kStates = 3;
    from.column<std::int32_t>(level.layers, layer);
    from.column<std::uint8_t>(level.layers, [&](LayerPlan& row, std::uint8_t type) {
        from.require(type < kStates);
        row.type = static_cast<partition::Type>(type);
    });
    from.column<double>(level.layers, [](LayerPlan& row, double time) { row.compute = {time}; });
    from.column<double>(level.layers, [](LayerPlan& row, double time) { row.intra = {time}; });
    from.column<double>(level.layers, [](LayerPlan& row, double time) { row.inter = {time}; });
    from.column<std::int32_t>(level.joins, layer);
    from.column<std::uint8_t>(level.joins, [&](JoinPlan& row, std::uint8_t layout) {
        from.require(layout < kStates);
        row.layout = static_cast<partition::Layout>(layout);
    });
    from.column<double>(level.joins, [](JoinPlan& row, double time) { row.compute = {time}; });
    from.column<double>(level.joins, [](JoinPlan& row, double time) { row.inter = {time}; });
    from.column<double>(level.other, [](partition::Transfers& row, double time) { row.intra = {time}; });
    from.column<double>(level.other, [](partition::Transfers& row, double time) { row.inter = {time}; });
    from.require(level.other.empty() || level.other.size() == layers);
    pollRows(level.layers.size() + level.joins.size());
}

void packShare(Packer& packer, const AcceleratorShare& share) {
    packer.put(share.parameters);
    packer.put(share.activations);
    packer.column(share.path, [](const partition::PathStep& step) { return step.split; });
    packer.column(share.path, [](const partition::PathStep& step) { return static_cast<std::uint8_t>(step.first); });
    packer.column(share.layerCompute, [](Seconds time) { return time.value; });
}

void unpackShare(Unpacker& from, AcceleratorShare& share, std::size_t splits, std::size_t layers) {
    share.parameters = from.take<double>();
    share.activations = from.take<double>();
    from.column<std::int32_t>(share.path, [&](partition::PathStep& step, std::int32_t split) {
        from.require(split >= 0 && static_cast<std::size_t>(split) < splits);
        step.split = split;
    });
    from.column<std::uint8_t>(share.path,
                              [](partition::PathStep& step, std::uint8_t first) { step.first = first != 0; });
    from.column<double>(share.layerCompute, [](Seconds& row, double time) { row = {time}; });
    from.require(share.layerCompute.empty() || share.layerCompute.size() == layers);
}

}  // namespace

std::size_t rowCount(const Plan& plan) {
    std::size_t rows = 0;
    for (const LevelPlan& level : plan.levels) rows += level.layers.size() + level.joins.size();
    return rows;
}

std::size_t rowCount(const Result& result) {
    std::size_t rows = 0;
    for (const Plan& plan : std::get<PartitionOutcome>(result.outcome).result.plans) rows += rowCount(plan);
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
    hollow.without = plan.without;
    hollow.fits = plan.fits;
    for (const LevelPlan& level : plan.levels)
        hollow.levels.push_back({.level = level.level,
                                 .group = level.group,
                                 .accelerators = level.accelerators,
                                 .occurrences = level.occurrences,
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
    for (const LevelPlan& level : plan.levels) packLevel(packer, level);
    for (const AcceleratorShare& share : plan.shares) packShare(packer, share);
    return packer.take();
}

void unpackRows(std::string_view bytes, Plan& plan, std::size_t layers, const std::string& file) {
    Unpacker from(bytes, file);
    for (LevelPlan& level : plan.levels) unpackLevel(from, level, layers);
    for (AcceleratorShare& share : plan.shares) unpackShare(from, share, plan.levels.size(), layers);
    from.end();
}

std::string packResult(const Result& result) {
    const auto& outcome = std::get<PartitionOutcome>(result.outcome);
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
    auto& outcome = std::get<PartitionOutcome>(result.outcome).result;
    for (Plan& plan : outcome.plans) unpackRows(from.text(), plan, outcome.names.size(), file);
    from.end();
    return result;
}

}  // namespace tessera::study
