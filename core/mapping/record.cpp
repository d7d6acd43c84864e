#include "core/mapping/record.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/mapping/state.h"

namespace tessera::mapping {

namespace {

/// Genes of the samples that one run keeps at most, so that groups of many thousand jobs need no gigabytes.
constexpr std::size_t kMaxReadGenes = 1'000'000;

}  // namespace

void Moments::add(double number, std::int64_t times) {
    merge({.count = times, .mean = number});
}

void Moments::merge(const Moments& other) {
    if (other.count == 0) return;
    const auto here = static_cast<double>(count), there = static_cast<double>(other.count);
    const double apart = other.mean - mean;
    count += other.count;
    mean += apart * (there / (here + there));
    squares += other.squares + apart * apart * (here * there / (here + there));
}

double Moments::spread() const {
    return count > 0 ? std::sqrt(std::max(0.0, squares / static_cast<double>(count))) : 0;
}

void Curve::add(std::int64_t samples, double best, const Moments& generation) {
    if (points_.empty() || inLast_ == perPoint_) {
        if (points_.size() == kMax) {
            for (std::size_t i = 0; i < kMax / 2; ++i) {
                const Moments first = points_[2 * i].moments;
                points_[i] = points_[2 * i + 1];
                points_[i].moments.merge(first);
            }
            points_.resize(kMax / 2);
            perPoint_ *= 2;
        }
        points_.emplace_back();
        inLast_ = 0;
    }
    Point& last = points_.back();
    last.samples = samples;
    last.best = best;
    last.moments.merge(generation);
    ++inLast_;
}

std::vector<ConvergencePoint> Curve::points() const {
    std::vector<ConvergencePoint> points;
    points.reserve(points_.size());
    for (const Point& point : points_)
        points.push_back({.samples = point.samples,
                          .best = point.best,
                          .mean = point.moments.mean,
                          .spread = point.moments.spread()});
    return points;
}

Json Curve::toJson() const {
    std::vector<std::int64_t> counts;
    std::vector<double> numbers;
    for (const Point& point : points_) {
        counts.insert(counts.end(), {point.samples, point.moments.count});
        numbers.insert(numbers.end(), {point.best, point.moments.mean, point.moments.squares});
    }
    return {{"counts", packed(counts)}, {"numbers", packed(numbers)}, {"per_point", perPoint_}, {"in_last", inLast_}};
}

Curve Curve::from(const Json& json) {
    const std::vector<std::int64_t> counts = unpackedCounts(json.at("counts"));
    const std::vector<double> numbers = unpackedDoubles(json.at("numbers"));
    if (counts.size() % 2 != 0 || counts.size() / 2 > kMax || numbers.size() != counts.size() / 2 * 3) refuseState();
    Curve curve;
    curve.perPoint_ = json.at("per_point");
    curve.inLast_ = json.at("in_last");
    for (std::size_t i = 0; i < counts.size() / 2; ++i)
        curve.points_.push_back(
            {.samples = counts[2 * i],
             .best = numbers[3 * i],
             .moments = {.count = counts[2 * i + 1], .mean = numbers[3 * i + 1], .squares = numbers[3 * i + 2]}});
    return curve;
}

KeptSamples::KeptSamples(std::size_t max, std::size_t jobs, std::size_t cores)
    : max_(std::min(max, std::max<std::size_t>(1, kMaxReadGenes / (2 * jobs)))), jobs_(jobs), cores_(cores) {}

void KeptSamples::keep(std::int64_t index, const Mapping& mapping, double value) {
    index_.push_back(index);
    value_.push_back(value);
    for (const std::int32_t core : mapping.core)
        genes_.push_back(static_cast<float>(core) / static_cast<float>(cores_));
    for (const double priority : mapping.priority) genes_.push_back(static_cast<float>(priority));
    if (index_.size() > max_) thin();
    next_ = (index / stride_ + 1) * stride_;
}

/// Leaves every other one.
void KeptSamples::thin() {
    stride_ *= 2;
    const std::size_t length = genesPerSample();
    const std::size_t left = (index_.size() + 1) / 2;
    for (std::size_t i = 0; i < left; ++i) {
        index_[i] = index_[2 * i];
        value_[i] = value_[2 * i];
        if (i > 0) std::copy_n(genes_.data() + 2 * i * length, length, genes_.data() + i * length);
    }
    index_.resize(left);
    value_.resize(left);
    genes_.resize(left * length);
}

std::vector<ExploredPoint> KeptSamples::points() const {
    std::vector<ExploredPoint> points(size());
    for (std::size_t i = 0; i < size(); ++i) points[i] = {.sample = index_[i] + 1, .value = value_[i]};
    return points;
}

Json KeptSamples::toJson() const {
    return {{"stride", stride_},
            {"next", next_},
            {"index", packed(index_)},
            {"value", packed(value_)},
            {"genes", packed(genes_)}};
}

void KeptSamples::load(const Json& json) {
    stride_ = json.at("stride");
    next_ = json.at("next");
    index_ = unpackedCounts(json.at("index"));
    value_ = unpackedDoubles(json.at("value"));
    genes_ = unpackedFloats(json.at("genes"));
    if (stride_ < 1 || index_.size() > max_ || value_.size() != index_.size() ||
        genes_.size() != index_.size() * genesPerSample())
        refuseState();
}

void Front::add(const FrontPoint& point) {
    const auto isBefore = [](const FrontPoint& a, const FrontPoint& b) { return a.first < b.first; };
    auto at = std::lower_bound(points_.begin(), points_.end(), point, isBefore);
    // `second` falls along the front, so the neighbour below is the hardest to beat.
    if (at != points_.begin() && std::prev(at)->second <= point.second) return;
    if (at != points_.end() && at->first == point.first && at->second <= point.second) return;
    const auto isBeaten = [&](const FrontPoint& other) { return other.second < point.second; };
    at = points_.erase(at, std::find_if(at, points_.end(), isBeaten));
    points_.insert(at, point);
    if (points_.size() <= kMax) return;
    const double width = points_.back().first - points_.front().first;
    const double height = points_.front().second - points_.back().second;
    std::size_t crowded = 1;
    double min = std::numeric_limits<double>::infinity();
    for (std::size_t i = 1; i + 1 < points_.size(); ++i) {
        const double room = (points_[i + 1].first - points_[i - 1].first) / width +
                            (points_[i - 1].second - points_[i + 1].second) / height;
        if (room >= min) continue;
        min = room;
        crowded = i;
    }
    points_.erase(points_.begin() + static_cast<std::ptrdiff_t>(crowded));
}

Json Front::toJson() const {
    std::vector<Mapping> mappings;
    std::vector<double> numbers;
    for (const FrontPoint& point : points_) {
        mappings.push_back(point.mapping);
        numbers.insert(numbers.end(), {point.first, point.second});
    }
    return {{"mappings", mapping::toJson(mappings)}, {"numbers", packed(numbers)}};
}

void Front::load(const Json& json, const Problem& problem) {
    std::vector<Mapping> mappings = mappingsFrom(json.at("mappings"), problem.jobs.size(), problem.cores.size());
    const std::vector<double> numbers = unpackedDoubles(json.at("numbers"));
    if (numbers.size() != 2 * mappings.size() || mappings.size() > kMax) refuseState();
    points_.clear();
    for (std::size_t i = 0; i < mappings.size(); ++i) {
        const Values values = evaluate(problem, mappings[i]);
        points_.push_back({.values = values,
                           .first = numbers[2 * i],
                           .second = numbers[2 * i + 1],
                           .mapping = std::move(mappings[i])});
    }
}

Record::Record(const Problem& problem, const Options& options)
    : kept(options.explored, problem.jobs.size(), problem.cores.size()) {}

Json Record::toJson() const {
    Json json{{"samples", samples},
              {"best_after", bestAfter},
              {"ended_by", endedBy ? nameOf(*endedBy) : ""},
              {"generation", {generation.count, generation.mean, generation.squares}},
              {"curve", curve.toJson()},
              {"kept", kept.toJson()},
              {"front", front.toJson()}};
    if (samples > 0) {
        json["best"] = mapping::toJson(best);
        json["value"] = value;
    }
    return json;
}

void Record::load(const Json& json, const Problem& problem) {
    samples = json.at("samples");
    bestAfter = json.at("best_after");
    endedBy = endedByNamed(json.at("ended_by").get<std::string>());
    const Json& moments = json.at("generation");
    generation = {.count = moments.at(0), .mean = moments.at(1), .squares = moments.at(2)};
    curve = Curve::from(json.at("curve"));
    kept.load(json.at("kept"));
    front.load(json.at("front"), problem);
    if (samples < 0) refuseState();
    if (samples == 0) return;
    best = mappingFrom(json.at("best"), problem.jobs.size(), problem.cores.size());
    value = json.at("value");
}

}  // namespace tessera::mapping
