#include "core/physical/kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "core/base/elementary.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/statistics.h"
#include "core/base/text.h"
#include "core/physical/kernel_forms.h"
#include "core/physical/neighbours.h"

namespace tessera::physical {
namespace {

constexpr std::array<double, 4> kNoises{0.002, 0.02, 0.2, 1};  // of a measured ratio, in units of the field's variance
constexpr std::size_t kScored = 240;                           // shapes that are left out in turn for the interval
constexpr double kInside = 0.9;
constexpr double kInsideDistance = 2;  // octaves to the nearest measured shape within which a kernel counts as measured
constexpr double kNoSecondSize = 4;    // octaves between an operation on two tensors and one on a tensor and a number
constexpr std::array<int, 3> kLeftOut{-1, 0, 1};

double log2Of(double x) {
    return elementary::log(x) * 1.44269504088896338700;
}

Position positionOf(const KernelKind& kind, std::span<const double> shape) {
    Position position{};
    for (std::size_t i = 0; i < shape.size(); ++i) position[i] = log2Of(shape[i]);
    if (shape.size() < kind.maxSizes) position[shape.size()] = kNoSecondSize;
    return position;
}

}  // namespace

std::string kernelFault(const KernelRequest& request) {
    const KernelKind* kind = kernelKind(request.kernel);
    if (kind == nullptr) return fmt::format("the kernel {} is not known", inQuotes(request.kernel));
    const std::vector<double>& shape = request.shape;
    const bool isCounted = shape.size() >= kind->minSizes && shape.size() <= kind->maxSizes;
    const bool isPositive =
        std::all_of(shape.begin(), shape.end(), [](double size) { return size >= 1 && size <= 1e15; });
    if (!isCounted || !isPositive)
        return fmt::format("sizes of '{}' are {}, each from 1 to 1e15", kind->name, kind->sizes);
    if (kind->family == KernelFamily::convolution && (shape[2] < shape[5] || shape[3] < shape[6]))
        return fmt::format("the window of '{}' is larger than what it covers", kind->name);
    if (bytesOf(request.dtype) == 0) return fmt::format("the data type {} is not known", inQuotes(request.dtype));
    return {};
}

namespace {

double quantileOf(std::vector<double> values, double share) {
    if (values.empty()) return 0;
    std::sort(values.begin(), values.end());
    const double rank = std::ceil(share * static_cast<double>(values.size() + 1));
    return values[std::min(values.size(), static_cast<std::size_t>(rank)) - 1];
}

struct KernelPoint {
    std::vector<double> shape;
    double seconds = 0;  ///< median of its rows
    int half = 0;
};

/// What the rows of one kernel, data type and source say when one half of the shapes is left out of fits.
struct KernelView {
    KernelPlace place;
    KernelTerms coefficients{};
    std::vector<double> ratios = {};  ///< log(measured / form) of every point
    double variance = 0;              ///< of the ratios that the fit saw
    double noise = 0;
    double reach = 0;         ///< 90 % of left-out points lie within it, in units of their own scale
    double minHalfWidth = 0;  ///< half-width of an interval where few points were seen
};

struct KernelSet {
    const KernelKind* kind = nullptr;
    std::string dtype = {}, source = {};
    std::size_t rows = 0;
    std::vector<KernelPoint> points = {};
    NearestPoints near{{}};
    std::array<KernelView, kLeftOut.size()> views = {};  ///< of kLeftOut
};

/// The ratio at a position by the points near it, and what its error is measured in.
struct NearRatio {
    double ratio = 0;
    double scale = 0;
};

NearRatio nearRatio(const KernelSet& set, const KernelView& view, const NearestPoints::Found& found, double noise) {
    const Interpolated interpolated = interpolate(found, set.near.positions(), view.ratios, noise);
    double sum = 0, squares = 0;
    for (std::size_t i = 0; i < found.count; ++i) {
        const double ratio = view.ratios[found.points[i].point];
        sum += ratio;
        squares += ratio * ratio;
    }
    const double count = std::max(1.0, static_cast<double>(found.count));
    const double scatter = std::max(0.0, squares / count - sum * sum / (count * count));
    return {interpolated.value, std::sqrt((interpolated.unknown + 0.1) * (scatter + 0.1 * view.variance + 1e-6))};
}

/// Points that a view's fits saw, at most kScored, spread evenly.
std::vector<std::size_t> scoredPoints(const KernelSet& set, int leftOut) {
    std::vector<std::size_t> seen, scored;
    for (std::size_t i = 0; i < set.points.size(); ++i)
        if (set.points[i].half != leftOut) seen.push_back(i);
    const std::size_t count = std::min(kScored, seen.size());
    for (std::size_t i = 0; i < count; ++i) scored.push_back(seen[i * seen.size() / count]);
    return scored;
}

/// The noise with the least mean error of left-out points, and the interval that holds 90 % of them.
void scoreView(const KernelSet& set, KernelView& view, int leftOut) {
    const std::vector<std::size_t> scored = scoredPoints(set, leftOut);
    std::vector<NearestPoints::Found> found;
    for (const std::size_t point : scored) found.push_back(set.near.nearest(set.near.positions()[point], point));
    double min = std::numeric_limits<double>::infinity();
    for (const double noise : kNoises) {
        double sum = 0;
        std::vector<double> scores;
        for (std::size_t i = 0; i < scored.size(); ++i) {
            const NearRatio near = nearRatio(set, view, found[i], noise);
            const double error = std::fabs(near.ratio - view.ratios[scored[i]]);
            sum += error;
            scores.push_back(error / near.scale);
        }
        if (!(sum < min)) continue;
        min = sum;
        view.noise = noise;
        view.reach = quantileOf(std::move(scores), kInside);
    }
}

/// Of an accelerator that is none of those in the tables (`isOther`), products, whose parameters are those of another
/// one, and shapes that are too few to tell parameters apart give one factor.
KernelTerms coefficientsOf(const KernelSet& set, const std::vector<KernelTerms>& terms, int leftOut, bool isOther) {
    const KernelTerms& others = transferredTerms(set.kind->family).coefficients;
    const bool isProduct = set.kind->family == KernelFamily::product;
    if (isProduct && !isOther) return others;
    std::vector<MeasuredTerms> seen;
    for (std::size_t i = 0; i < terms.size(); ++i)
        if (set.points[i].half != leftOut) seen.push_back({terms[i], set.points[i].seconds});
    const bool areFew = seen.size() < hardware::kernelParameters(set.kind->family).size();
    if (seen.empty() || (isOther && (isProduct || areFew))) return scaledTerms(seen, others);
    return fitTerms(seen);
}

/// Seconds of the form, above 0: a shape of whose terms the fitted ones saw none takes those of other accelerators.
double formSeconds(const KernelKind& kind, const KernelTerms& terms, const KernelView& view) {
    const double seconds = secondsOf(terms, view.coefficients);
    return seconds > 0 ? seconds : secondsOf(terms, transferredTerms(kind.family).coefficients);
}

/// What few left-out points say of errors is itself uncertain: a part of the spread of other accelerators is added to
/// it, which is none from so many shapes on.
double leastHalfWidth(KernelFamily family, double shapes) {
    constexpr double kEnough = 24;
    return transferredTerms(family).spread * std::max(0.0, 1 - shapes / kEnough);
}

KernelView viewOf(const KernelSet& set, const Device& device, int leftOut) {
    const ProductParameters products =
        productParametersOf(device, set.dtype, {.kernel = set.kind->name, .source = set.source, .leftOut = leftOut});
    const bool isOther = products.basis == KernelBasis::transferred;
    KernelView view{.place = {machineOf(device, set.dtype), bytesOf(set.dtype), products.parameters}};
    std::vector<KernelTerms> terms;
    for (const KernelPoint& point : set.points) terms.push_back(kernelTerms(*set.kind, point.shape, view.place));
    view.coefficients = coefficientsOf(set, terms, leftOut, isOther);
    double squares = 0, count = 0;
    for (std::size_t i = 0; i < terms.size(); ++i) {
        const double ratio = elementary::log(set.points[i].seconds / formSeconds(*set.kind, terms[i], view));
        view.ratios.push_back(ratio);
        if (set.points[i].half == leftOut) continue;
        squares += ratio * ratio;
        ++count;
    }
    view.variance = count > 0 ? squares / count : 0;
    view.minHalfWidth = isOther ? leastHalfWidth(set.kind->family, count) : 0;
    scoreView(set, view, leftOut);
    return view;
}

/// Seconds of a kernel without rows: by what the device's description says of such kernels, else by other accelerators.
Prediction unmeasuredSeconds(const Device& device, const KernelRequest& request) {
    const KernelKind& kind = *kernelKind(request.kernel);
    const FittedForm* fitted = fittedFormOf(device, kind.family, request.dtype);
    const TransferredTerms& transferred = transferredTerms(kind.family);
    const KernelPlace place{machineOf(device, request.dtype), bytesOf(request.dtype),
                            productParametersOf(device, request.dtype, {.kernel = request.kernel}).parameters};
    const double seconds = secondsOf(kernelTerms(kind, request.shape, place),
                                     fitted != nullptr ? fitted->coefficients : transferred.coefficients);
    return {estimateAround(seconds, fitted != nullptr ? fitted->spread : transferred.spread)};
}

std::size_t viewIndex(int leftOut) {
    return leftOut < 0 ? 0 : static_cast<std::size_t>(leftOut) + 1;
}

Estimate estimateOf(const KernelSet& set, std::span<const double> shape, int leftOut,
                    std::optional<std::size_t> except) {
    const KernelView& view = set.views[viewIndex(leftOut)];
    const NearestPoints::Found found = set.near.nearest(positionOf(*set.kind, shape), except);
    const NearRatio near = nearRatio(set, view, found, view.noise);
    const bool isMeasured = found.count > 0 && found.points[0].distance == 0;
    const double seconds = isMeasured ? set.points[found.points[0].point].seconds
                                      : formSeconds(*set.kind, kernelTerms(*set.kind, shape, view.place), view) *
                                            elementary::exp(near.ratio);
    return estimateAround(seconds, view.reach * near.scale + (isMeasured ? 0 : view.minHalfWidth));
}

}  // namespace

struct KernelModel::Data {
    Device device;
    std::vector<KernelRow> rows;
    std::vector<KernelSet> sets;  ///< by kernel, data type, source
    struct RowPlace {
        std::size_t set, point;
    };
    std::vector<RowPlace> places;  ///< of rows

    /// The set with most rows of a kernel and data type (any source where it is empty), else null. The two 16-bit types
    /// stand for each other where an accelerator multiplies both as fast.
    const KernelSet* find(const KernelRequest& request, std::string_view source) const {
        if (const KernelSet* set = findExactly(request.kernel, request.dtype, source)) return set;
        const std::string_view other = alikeType(device, request.dtype);
        return other.empty() ? nullptr : findExactly(request.kernel, other, source);
    }
    const KernelSet* findExactly(std::string_view kernel, std::string_view dtype, std::string_view source) const {
        const KernelSet* best = nullptr;
        for (const KernelSet& set : sets) {
            const bool isAsked =
                set.kind->name == kernel && set.dtype == dtype && (source.empty() || set.source == source);
            if (isAsked && (best == nullptr || set.rows > best->rows)) best = &set;
        }
        return best;
    }
};

namespace {

using SetKey = std::tuple<std::string, std::string, std::string>;
using ShapeRows = std::map<std::vector<double>, std::vector<std::size_t>>;

std::map<SetKey, ShapeRows> groupedRows(const std::vector<KernelRow>& rows) {
    std::map<SetKey, ShapeRows> groups;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto& [request, seconds, source] = rows[i];
        std::string fault = kernelFault(request);
        const Place place{.where = fmt::format("kernel {}", i + 1)};
        if (!fault.empty()) throw DataError(place, std::move(fault), "a kernel as the tables of measurements name it");
        if (!(seconds > 0 && seconds <= 1e9))
            throw DataError(place, fmt::format("{} s", seconds), "a time above 0 and up to 1e9 s");
        groups[{request.kernel, request.dtype, source}][request.shape].push_back(i);
    }
    return groups;
}

double medianSeconds(const std::vector<KernelRow>& rows, const std::vector<std::size_t>& chosen) {
    std::vector<double> seconds;
    for (const std::size_t row : chosen) seconds.push_back(rows[row].seconds);
    return medianOf(std::move(seconds));
}

}  // namespace

KernelModel::KernelModel(Device device, std::vector<KernelRow> rows) : data_(std::make_unique<Data>()) {
    data_->device = std::move(device);
    data_->rows = std::move(rows);
    data_->places.resize(data_->rows.size());
    for (const auto& [key, shapes] : groupedRows(data_->rows)) {
        const auto& [kernel, dtype, source] = key;
        KernelSet set{.kind = kernelKind(kernel), .dtype = dtype, .source = source};
        std::vector<Position> positions;
        for (const auto& [shape, chosen] : shapes) {
            for (const std::size_t row : chosen) data_->places[row] = {data_->sets.size(), set.points.size()};
            set.rows += chosen.size();
            set.points.push_back({shape, medianSeconds(data_->rows, chosen), shapeHalf(shape)});
            positions.push_back(positionOf(*set.kind, shape));
        }
        set.near = NearestPoints(std::move(positions));
        for (const int leftOut : kLeftOut) set.views[viewIndex(leftOut)] = viewOf(set, data_->device, leftOut);
        data_->sets.push_back(std::move(set));
    }
}

KernelModel::~KernelModel() = default;
KernelModel::KernelModel(KernelModel&&) noexcept = default;
KernelModel& KernelModel::operator=(KernelModel&&) noexcept = default;

Prediction KernelModel::predict(const KernelRequest& request) const {
    return predict(request, {});
}

Prediction KernelModel::predict(const KernelRequest& request, std::string_view source) const {
    if (std::string fault = kernelFault(request); !fault.empty()) return {.refused = std::move(fault)};
    const KernelSet* set = data_->find(request, source);
    if (set != nullptr) return {estimateOf(*set, request.shape, -1, {})};
    return unmeasuredSeconds(data_->device, request);
}

Prediction KernelModel::judge(std::size_t row) const {
    const auto& [set, point] = data_->places[row];
    const KernelPoint& judged = data_->sets[set].points[point];
    return {estimateOf(data_->sets[set], judged.shape, judged.half, point)};
}

KernelBasis KernelModel::basis(const KernelRequest& request) const {
    if (!kernelFault(request).empty()) return KernelBasis::transferred;
    const KernelSet* set = data_->find(request, {});
    if (set == nullptr)
        return fittedFormOf(data_->device, kernelKind(request.kernel)->family, request.dtype) != nullptr
                   ? KernelBasis::fitted
                   : KernelBasis::transferred;
    const NearestPoints::Found found = set->near.nearest(positionOf(*set->kind, request.shape));
    return found.points[0].distance <= kInsideDistance ? KernelBasis::measured : KernelBasis::fitted;
}

const std::vector<KernelRow>& KernelModel::rows() const {
    return data_->rows;
}

KernelRow kernelRowOf(const MeasuredTable& table, const MeasuredRow& row) {
    KernelRow kernel{.request = {.kernel = table.name(row, "kernel"), .dtype = table.name(row, "dtype")},
                     .seconds = table.positive(row, "seconds"),
                     .source = std::string(table.sourceOf(row))};
    for (const std::string_view size : split(table.text(row, "shape"), 'x')) {
        const std::optional<double> number = measuredNumber(size);
        if (!number || *number < 0) table.fail(row, "shape", "sizes joined by 'x', such as 1024x768x3072");
        kernel.request.shape.push_back(*number);
    }
    return kernel;
}

std::vector<KernelRow> readKernels(const std::filesystem::path& file) {
    const MeasuredTable table = readMeasuredTable(readFile(file), file.string());
    std::vector<KernelRow> rows;
    for (const MeasuredRow& line : table.rows) {
        rows.push_back(kernelRowOf(table, line));
        const std::string fault = kernelFault(rows.back().request);
        if (!fault.empty()) table.fail(line, "shape", fault);
    }
    return rows;
}

}  // namespace tessera::physical
