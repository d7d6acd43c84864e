#include "core/explore/gaussian_process.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "core/base/elementary.h"
#include "core/base/number.h"
#include "core/base/poll.h"
#include "core/base/random.h"
#include "core/explore/eigen.h"

namespace tessera::explore {

namespace {

using Eigen::Index;
using Column = Eigen::VectorXd;
using Square = Eigen::MatrixXd;

constexpr double kRoot5 = 2.23606797749978969641;
constexpr double kShortestLength = 0.01, kLongestLength = 100, kMinNoise = 1e-8, kMaxNoise = 10;
/// Below this, numbers added to the diagonal are lost to rounding.
constexpr double kJitter = 1e-10;

/// Points by column, so that a pair's differences stand together.
Square columnsOf(const std::vector<std::vector<double>>& shares, std::size_t variables) {
    Square columns(static_cast<Index>(variables), static_cast<Index>(shares.size()));
    for (std::size_t i = 0; i < shares.size(); ++i)
        columns.col(static_cast<Index>(i)) = Eigen::Map<const Column>(shares[i].data(), static_cast<Index>(variables));
    return columns;
}

/// About how long rows of so many steps each take: a step is a multiplication and an addition.
std::size_t microseconds(Index rows, Index steps) {
    constexpr Index kStepsPerMicrosecond = 1000;
    return static_cast<std::size_t>(rows * steps / kStepsPerMicrosecond);
}

/// Matérn 5/2 of the square of a distance, without its variance.
double matern(double square) {
    const double distance = kRoot5 * std::sqrt(square);
    return (1 + distance + distance * distance / 3) * elementary::exp(-distance);
}

/// Numbers of the kernel as a search takes them: logarithms of the lengths, then of the noise.
GaussianProcess::Kernel kernelOf(const Column& logs) {
    GaussianProcess::Kernel kernel;
    for (Index i = 0; i + 1 < logs.size(); ++i) kernel.lengths.push_back(elementary::exp(logs[i]));
    kernel.noise = elementary::exp(logs[logs.size() - 1]);
    return kernel;
}

/// How badly a kernel explains points: the negative logarithm of likelihood and prior, the process's mean and variance
/// already chosen.
class KernelLoss {
public:
    KernelLoss(const Square& points, const std::vector<bool>& isCategory, Column values)
        : points_(points), isCategory_(isCategory), values_(std::move(values)) {
        const auto d = static_cast<double>(points.rows());
        logLength_ = std::sqrt(2.0) + elementary::log(d) / 2;
    }

    /// The loss and its slope along the logarithms; infinite where the kernel is no kernel for rounding.
    double at(const Column& logs, Column& slope) const {
        const Index n = points_.cols(), d = points_.rows();
        poll(microseconds(n, n * n + 100 * n + d * n));
        const GaussianProcess::Kernel kernel = kernelOf(logs);
        Column inverseSquares(d);
        for (Index k = 0; k < d; ++k) inverseSquares[k] = 1 / (kernel.lengths[toIndex(k)] * kernel.lengths[toIndex(k)]);
        Square correlations(n, n), slopes(n, n);
        for (Index j = 0; j < n; ++j) {
            correlations(j, j) = 1 + kernel.noise + kJitter;
            for (Index i = j + 1; i < n; ++i) {
                double square = 0;
                for (Index k = 0; k < d; ++k) square += partOf(i, j, k) * inverseSquares[k];
                const double distance = kRoot5 * std::sqrt(square), decay = elementary::exp(-distance);
                correlations(i, j) = (1 + distance + distance * distance / 3) * decay;
                slopes(i, j) = 5.0 / 3 * (1 + distance) * decay;  // times the part of the square along a variable
            }
        }
        const Eigen::LLT<Square> factor(correlations.selfadjointView<Eigen::Lower>());
        if (factor.info() != Eigen::Success) return kInfinity;
        const Square inverse = factor.solve(Square::Identity(n, n));
        const Column ones = Column::Ones(n), solvedOnes = inverse * ones;
        const double mean = solvedOnes.dot(values_) / solvedOnes.sum();
        const Column rest = values_ - Column::Constant(n, mean), solvedRest = inverse * rest;
        const double variance = std::max(rest.dot(solvedRest) / static_cast<double>(n), 1e-300);
        double loss = static_cast<double>(n) / 2 * elementary::log(variance);
        for (Index i = 0; i < n; ++i) loss += elementary::log(factor.matrixLLT()(i, i));

        slope = Column::Zero(d + 1);
        for (Index j = 0; j < n; ++j)
            for (Index i = j + 1; i < n; ++i) {
                const double weight = (inverse(i, j) - solvedRest[i] * solvedRest[j] / variance) * slopes(i, j);
                for (Index k = 0; k < d; ++k) slope[k] += weight * partOf(i, j, k) * inverseSquares[k];
            }
        slope[d] = kernel.noise / 2 * (inverse.trace() - solvedRest.squaredNorm() / variance);
        for (Index k = 0; k < d; ++k) addPrior(logs[k], logLength_, 3, loss, slope[k]);
        addPrior(logs[d], elementary::log(1e-6), 30, loss, slope[d]);
        return loss;
    }

private:
    double partOf(Index i, Index j, Index k) const {
        const double difference = points_(k, i) - points_(k, j);
        return isCategory_[toIndex(k)] ? (difference != 0 ? 1 : 0) : difference * difference;
    }
    /// A normal distribution of the logarithm.
    static void addPrior(double log, double middle, double variance, double& loss, double& slope) {
        loss += (log - middle) * (log - middle) / (2 * variance);
        slope += (log - middle) / variance;
    }

    const Square& points_;
    const std::vector<bool>& isCategory_;
    Column values_;
    double logLength_ = 0;
};

/// The least loss from a start, by steps along each logarithm that grow while the slope keeps its sign. Riedmiller,
/// Braun: "A direct adaptive method for faster backpropagation learning: the RPROP algorithm", 1993; for Gaussian
/// processes Blum, Riedmiller: "Optimization of Gaussian process hyperparameters using Rprop", 2013.
std::pair<double, Column> descended(const KernelLoss& loss, Column at) {
    constexpr int kSteps = 60;
    const Index count = at.size();
    Column steps = Column::Constant(count, 0.2), before = Column::Zero(count), slope;
    std::pair<double, Column> best{kInfinity, at};
    for (int i = 0; i < kSteps; ++i) {
        const double value = loss.at(at, slope);
        if (value < best.first) best = {value, at};
        if (!(value < kInfinity)) {
            // Too smooth to be told from rounding: with more noise it is not.
            at[count - 1] += 2;
            continue;
        }
        if (steps.maxCoeff() < 1e-3) break;
        for (Index k = 0; k < count; ++k) {
            const double turn = slope[k] * before[k];
            if (turn > 0) steps[k] = std::min(1.0, 1.2 * steps[k]);
            if (turn < 0) {
                steps[k] = std::max(1e-4, 0.5 * steps[k]);
                slope[k] = 0;
            }
            const bool isNoise = k + 1 == count;
            const double low = elementary::log(isNoise ? kMinNoise : kShortestLength);
            const double high = elementary::log(isNoise ? kMaxNoise : kLongestLength);
            if (slope[k] != 0) at[k] = std::clamp(at[k] + (slope[k] > 0 ? -steps[k] : steps[k]), low, high);
        }
        before = slope;
    }
    return best;
}

GaussianProcess::Kernel learntKernel(const Square& points, const std::vector<bool>& isCategory, const Column& values) {
    const double mean = values.mean();
    const double deviation = std::sqrt((values.array() - mean).square().mean());
    const Index d = points.rows();
    if (!(deviation > 0) || values.size() < 3)
        return {.lengths = std::vector<double>(toIndex(d), elementary::exp(std::sqrt(2.0)) * std::sqrt(real(d)))};
    const KernelLoss loss(points, isCategory, (values.array() - mean) / deviation);
    std::pair<double, Column> best{kInfinity, {}};
    // Functions that are smooth over the space, and those that are not.
    for (const double length : {1.0, 0.2}) {
        Column start = Column::Constant(d + 1, elementary::log(length * std::sqrt(real(d))));
        start[d] = elementary::log(1e-4);
        std::pair<double, Column> found = descended(loss, std::move(start));
        if (best.second.size() == 0 || found.first < best.first) best = std::move(found);
    }
    return kernelOf(best.second);
}

}  // namespace

std::vector<std::size_t> someOf(std::size_t count, std::size_t max) {
    std::vector<std::size_t> all(count);
    std::iota(all.begin(), all.end(), std::size_t{0});
    if (count <= max) return all;
    RandomStream random(count);
    for (std::size_t i = 0; i < max; ++i) std::swap(all[i], all[i + random.below(count - i)]);
    all.resize(max);
    std::sort(all.begin(), all.end());
    return all;
}

struct GaussianProcess::Parts {
    std::vector<bool> isCategory;
    Kernel kernel;
    Column inverseSquares;  ///< of the lengths
    Square points;          ///< by column
    Column values;
    Square factor;  ///< lower, of the correlations with noise
    Column solvedOnes, solvedRest;
    double mean = 0, variance = 0;
    bool hasVariance = false;  ///< decided once: points that are added later do not change it

    Index size() const { return points.cols(); }

    double correlation(const double* one, const double* other) const {
        double square = 0;
        for (Index k = 0; k < points.rows(); ++k) {
            const double difference = one[k] - other[k];
            const double part = isCategory[toIndex(k)] ? (difference != 0 ? 1 : 0) : difference * difference;
            square += part * inverseSquares[k];
        }
        return matern(square);
    }
    Column correlationsWith(const double* shares) const {
        Column correlations(size());
        for (Index i = 0; i < size(); ++i) correlations[i] = correlation(shares, points.col(i).data());
        return correlations;
    }

    void setKernel(Kernel learnt) {
        kernel = std::move(learnt);
        inverseSquares.resize(points.rows());
        for (Index k = 0; k < points.rows(); ++k)
            inverseSquares[k] = 1 / (kernel.lengths[toIndex(k)] * kernel.lengths[toIndex(k)]);
    }

    void factorise() {
        poll(microseconds(size(), size() * size() / 6 + 50 * size()));
        constexpr double kHopelessNoise = 1e3;  // with as much any finite kernel is one
        // More noise until rounding leaves a kernel.
        for (;; kernel.noise = std::max(10 * kernel.noise, kMinNoise)) {
            factor.resize(size(), size());
            for (Index j = 0; j < size(); ++j) {
                factor(j, j) = 1 + kernel.noise + kJitter;
                for (Index i = j + 1; i < size(); ++i)
                    factor(i, j) = correlation(points.col(i).data(), points.col(j).data());
            }
            Eigen::LLT<Eigen::Ref<Square>, Eigen::Lower> inPlace(factor);
            if (inPlace.info() == Eigen::Success && factor.diagonal().allFinite()) break;
            if (!(kernel.noise < kHopelessNoise))
                throw std::logic_error(
                    "points of a Gaussian process have shares that are not finite; expected numbers");
        }
        solve();
    }

    void solve() {
        const auto lower = factor.triangularView<Eigen::Lower>();
        const auto solved = [&](const Column& column) -> Column {
            const Column half = lower.solve(column);
            return factor.transpose().triangularView<Eigen::Upper>().solve(half);
        };
        solvedOnes = solved(Column::Ones(size()));
        mean = solvedOnes.dot(values) / solvedOnes.sum();
        const Column rest = values - Column::Constant(size(), mean);
        solvedRest = solved(rest);
        if (!hasVariance) variance = std::max(rest.dot(solvedRest) / real(size()), 0.0);
        hasVariance = true;
    }
};

GaussianProcess::GaussianProcess(const std::vector<Variable>& variables, const std::vector<std::vector<double>>& shares,
                                 const std::vector<double>& values, Kernel kernel) {
    initialiseEigen();
    parts_ = std::make_unique<Parts>();
    for (const Variable& variable : variables) parts_->isCategory.push_back(variable.isCategory);
    parts_->points = columnsOf(shares, variables.size());
    parts_->values = Eigen::Map<const Column>(values.data(), static_cast<Index>(values.size()));
    if (kernel.lengths.empty()) {
        std::vector<std::vector<double>> some;
        std::vector<double> theirs;
        for (const std::size_t i : someOf(shares.size(), kLearnt)) {
            some.push_back(shares[i]);
            theirs.push_back(values[i]);
        }
        kernel = learntKernel(columnsOf(some, variables.size()), parts_->isCategory,
                              Eigen::Map<const Column>(theirs.data(), static_cast<Index>(theirs.size())));
    }
    parts_->setKernel(std::move(kernel));
    parts_->factorise();
}

GaussianProcess::GaussianProcess(const std::vector<Variable>& variables, const std::vector<std::vector<double>>& shares,
                                 const std::vector<double>& values)
    : GaussianProcess(variables, shares, values, Kernel{}) {}

GaussianProcess::GaussianProcess(GaussianProcess&&) noexcept = default;
GaussianProcess& GaussianProcess::operator=(GaussianProcess&&) noexcept = default;
GaussianProcess::~GaussianProcess() = default;

void GaussianProcess::add(std::span<const double> shares, double value) {
    Parts& own = *parts_;
    const Index n = own.size();
    const Column half = own.factor.triangularView<Eigen::Lower>().solve(own.correlationsWith(shares.data()));
    own.points.conservativeResize(Eigen::NoChange, n + 1);
    own.points.col(n) = Eigen::Map<const Column>(shares.data(), own.points.rows());
    own.values.conservativeResize(n + 1);
    own.values[n] = value;
    own.factor.conservativeResize(n + 1, n + 1);
    own.factor.row(n).head(n) = half.transpose();
    own.factor.col(n).head(n).setZero();
    own.factor(n, n) = std::sqrt(std::max(1 + own.kernel.noise + kJitter - half.squaredNorm(), kJitter));
    own.solve();
}

GaussianProcess::Prediction GaussianProcess::at(std::span<const double> shares) const {
    const Parts& own = *parts_;
    const Column correlations = own.correlationsWith(shares.data());
    const Column half = own.factor.triangularView<Eigen::Lower>().solve(correlations);
    // That the mean had to be estimated adds a little.
    const double missing = 1 - own.solvedOnes.dot(correlations);
    const double left = 1 - half.squaredNorm() + missing * missing / own.solvedOnes.sum();
    return {own.mean + correlations.dot(own.solvedRest), std::sqrt(own.variance * std::max(left, 0.0))};
}

std::vector<GaussianProcess::Prediction> GaussianProcess::at(const std::vector<std::vector<double>>& shares) const {
    constexpr std::size_t kTogether = 64;
    const Parts& own = *parts_;
    std::vector<Prediction> predictions;
    predictions.reserve(shares.size());
    for (std::size_t first = 0; first < shares.size(); first += kTogether) {
        const std::size_t count = std::min(kTogether, shares.size() - first);
        poll(microseconds(own.size(), static_cast<Index>(count) * (own.size() / 2 + 50)));
        Square correlations(own.size(), static_cast<Index>(count));
        for (std::size_t i = 0; i < count; ++i)
            correlations.col(static_cast<Index>(i)) = own.correlationsWith(shares[first + i].data());
        const Square half = own.factor.triangularView<Eigen::Lower>().solve(correlations);
        for (Index i = 0; i < static_cast<Index>(count); ++i) {
            const double missing = 1 - own.solvedOnes.dot(correlations.col(i));
            const double left = 1 - half.col(i).squaredNorm() + missing * missing / own.solvedOnes.sum();
            predictions.push_back(
                {own.mean + correlations.col(i).dot(own.solvedRest), std::sqrt(own.variance * std::max(left, 0.0))});
        }
    }
    return predictions;
}

std::vector<double> GaussianProcess::meansAt(const std::vector<std::vector<double>>& shares) const {
    std::vector<double> means;
    means.reserve(shares.size());
    for (const std::vector<double>& each : shares) {
        poll(microseconds(parts_->size(), 50));
        means.push_back(parts_->mean + parts_->correlationsWith(each.data()).dot(parts_->solvedRest));
    }
    return means;
}

const GaussianProcess::Kernel& GaussianProcess::kernel() const {
    return parts_->kernel;
}

double GaussianProcess::logLikelihood() const {
    const Parts& own = *parts_;
    double sum = -real(own.size()) / 2 * elementary::log(std::max(own.variance, 1e-300));
    for (Index i = 0; i < own.size(); ++i) sum -= elementary::log(own.factor(i, i));
    return sum;
}

double GaussianProcess::noiseDeviation() const {
    return std::sqrt(parts_->variance * parts_->kernel.noise);
}

double GaussianProcess::explained() const {
    const Parts& own = *parts_;
    const Index n = own.size();
    const double variance = (own.values.array() - own.values.mean()).square().sum();
    if (n < 3 || !(variance > 0)) return 0;
    // The diagonal of the inverse is the sums of squares of the inverse factor's columns. Leaving one out changes the
    // mean, too, which takes the same form with the inverse less its part along the ones.
    constexpr Index kTogether = 64;
    const double all = own.solvedOnes.sum();
    double errors = 0;
    for (Index first = 0; first < n; first += kTogether) {
        // Above the diagonal the inverse factor is 0.
        const Index rows = n - first, columns = std::min(kTogether, rows);
        poll(microseconds(rows, columns * rows / 2));
        const Square part = own.factor.bottomRightCorner(rows, rows)
                                .triangularView<Eigen::Lower>()
                                .solve(Square::Identity(rows, columns));
        for (Index i = 0; i < columns; ++i) {
            const double ones = own.solvedOnes[first + i];
            const double error = own.solvedRest[first + i] / (part.col(i).squaredNorm() - ones * ones / all);
            errors += error * error;
        }
    }
    // The errors are those of a mean over the others, which predicts nothing where it is as good as the mean of all.
    const double shrink = static_cast<double>(n - 1) / static_cast<double>(n);
    return 1 - errors * shrink * shrink / variance;
}

}  // namespace tessera::explore
