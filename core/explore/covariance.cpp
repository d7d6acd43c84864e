#include "core/explore/covariance.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "core/base/elementary.h"
#include "core/explore/eigen.h"

namespace tessera::explore {

namespace {

using Genes = Eigen::VectorXd;
using GeneMatrix = Eigen::MatrixXd;
using Eigen::Index;

std::vector<double> numbersOf(const GeneMatrix& matrix) {
    return {matrix.data(), matrix.data() + matrix.size()};
}

GeneMatrix matrixOf(const std::vector<double>& numbers, Index rows) {
    return Eigen::Map<const GeneMatrix>(numbers.data(), rows, static_cast<Index>(numbers.size()) / rows);
}

}  // namespace

struct CovarianceAdaptation::Parts {
    Index genes;
    std::size_t children, parents;
    std::int64_t generationsPerTurn;
    bool dense;
    Genes weights;
    double mass = 0, cc = 0, cs = 0, c1 = 0, cmu = 0, damping = 0, expected = 0;

    std::int64_t generation = 0;
    double sigma = 0;
    Genes mean, path, even, lengths;
    GeneMatrix covariance, axes;  ///< the covariance's diagonal alone, and no axes, where not dense

    Parts(std::size_t count, std::size_t born, std::int64_t perTurn)
        : genes(static_cast<Index>(count)),
          children(std::max<std::size_t>(2, born)),
          parents(children / 2),
          generationsPerTurn(perTurn),
          dense(count <= kMaxDense) {
        const auto n = static_cast<double>(genes);
        weights.resize(static_cast<Index>(parents));
        for (Index i = 0; i < weights.size(); ++i)
            weights[i] =
                elementary::log(static_cast<double>(parents) + 0.5) - elementary::log(static_cast<double>(i + 1));
        weights /= weights.sum();
        mass = 1 / weights.squaredNorm();
        cc = (4 + mass / n) / (n + 4 + 2 * mass / n);
        cs = (mass + 2) / (n + mass + 5);
        c1 = 2 / ((n + 1.3) * (n + 1.3) + mass);
        cmu = std::min(1 - c1, 2 * (mass - 2 + 1 / mass) / ((n + 2) * (n + 2) + mass));
        if (!dense) {
            c1 = std::min(0.5, c1 * (n + 2) / 3);
            cmu = std::min(1 - c1, cmu * (n + 2) / 3);
        }
        damping = 1 + 2 * std::max(0.0, elementary::sqrt((mass - 1) / (n + 1)) - 1) + cs;
        expected = elementary::sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n * n));
    }

    /// Takes the axes of the distribution from its covariance.
    void turn() {
        const GeneMatrix symmetric = (covariance + covariance.transpose()) / 2;
        const Eigen::SelfAdjointEigenSolver<GeneMatrix> solver(symmetric);
        if (solver.info() != Eigen::Success) return;
        axes = solver.eigenvectors();
        lengths = solver.eigenvalues().cwiseMax(1e-20).cwiseSqrt();
    }
};

CovarianceAdaptation::CovarianceAdaptation(std::size_t genes, std::size_t children, std::int64_t generationsPerTurn) {
    initialiseEigen();
    parts_ = std::make_unique<Parts>(genes, children, generationsPerTurn);
}

CovarianceAdaptation::CovarianceAdaptation(CovarianceAdaptation&&) noexcept = default;
CovarianceAdaptation& CovarianceAdaptation::operator=(CovarianceAdaptation&&) noexcept = default;
CovarianceAdaptation::~CovarianceAdaptation() = default;

void CovarianceAdaptation::begin(std::span<const double> mean, double sigma) {
    Parts& own = *parts_;
    own.generation = 0;
    own.mean = Eigen::Map<const Genes>(mean.data(), own.genes);
    own.sigma = sigma;
    own.path = own.even = Genes::Zero(own.genes);
    own.lengths = Genes::Ones(own.genes);
    own.covariance =
        own.dense ? GeneMatrix(GeneMatrix::Identity(own.genes, own.genes)) : GeneMatrix(GeneMatrix::Ones(own.genes, 1));
    own.axes = own.dense ? GeneMatrix(GeneMatrix::Identity(own.genes, own.genes)) : GeneMatrix();
}

bool CovarianceAdaptation::resume(const State& state) {
    Parts& own = *parts_;
    const auto count = static_cast<std::size_t>(own.genes), all = count * count;
    if (state.mean.size() != count || state.path.size() != count || state.evenPath.size() != count ||
        state.lengths.size() != count || state.covariance.size() != (own.dense ? all : count) ||
        state.axes.size() != (own.dense ? all : 0))
        return false;
    own.generation = state.generation;
    own.sigma = state.sigma;
    own.mean = matrixOf(state.mean, own.genes);
    own.path = matrixOf(state.path, own.genes);
    own.even = matrixOf(state.evenPath, own.genes);
    own.lengths = matrixOf(state.lengths, own.genes);
    own.covariance = matrixOf(state.covariance, own.genes);
    own.axes = matrixOf(state.axes, own.genes);
    return true;
}

CovarianceAdaptation::State CovarianceAdaptation::state() const {
    const Parts& own = *parts_;
    return {.generation = own.generation,
            .sigma = own.sigma,
            .mean = numbersOf(own.mean),
            .path = numbersOf(own.path),
            .evenPath = numbersOf(own.even),
            .covariance = numbersOf(own.covariance),
            .axes = numbersOf(own.axes),
            .lengths = numbersOf(own.lengths)};
}

std::int64_t CovarianceAdaptation::generation() const {
    return parts_->generation;
}

std::pair<double, double> CovarianceAdaptation::deviations() const {
    return {parts_->sigma * parts_->lengths.maxCoeff(), parts_->sigma * parts_->lengths.minCoeff()};
}

std::vector<double> CovarianceAdaptation::move(NormalStream& normal) const {
    const Parts& own = *parts_;
    Genes drawn(own.genes);
    for (double& number : drawn) number = normal.next();
    Genes move = own.lengths.cwiseProduct(drawn);
    if (own.dense) move = own.axes * move;
    return {move.data(), move.data() + move.size()};
}

std::vector<double> CovarianceAdaptation::genomeAt(std::span<const double> move) const {
    const Genes genome = parts_->mean + parts_->sigma * Eigen::Map<const Genes>(move.data(), parts_->genes);
    return {genome.data(), genome.data() + genome.size()};
}

void CovarianceAdaptation::adapt(const std::vector<std::vector<double>>& moves, std::span<const std::size_t> order) {
    Parts& own = *parts_;
    GeneMatrix best(own.genes, static_cast<Index>(own.parents));
    for (Index i = 0; i < best.cols(); ++i)
        best.col(i) = Eigen::Map<const Genes>(moves[order[static_cast<std::size_t>(i)]].data(), own.genes);
    const Genes shift = best * own.weights;
    own.mean += own.sigma * shift;
    ++own.generation;

    Genes even = shift;
    if (own.dense) even = own.axes.transpose() * even;
    even = even.cwiseQuotient(own.lengths);
    if (own.dense) even = own.axes * even;
    const double cs = own.cs, cc = own.cc;
    own.even = (1 - cs) * own.even + elementary::sqrt(cs * (2 - cs) * own.mass) * even;
    const double length = own.even.norm();
    const double settled = 1 - elementary::pow(1 - cs, 2 * static_cast<double>(own.generation));
    const bool isShort =
        length / elementary::sqrt(settled) < (1.4 + 2 / (static_cast<double>(own.genes) + 1)) * own.expected;
    own.path = (1 - cc) * own.path + (isShort ? elementary::sqrt(cc * (2 - cc) * own.mass) : 0.0) * shift;
    const double kept = 1 - own.c1 - own.cmu + (isShort ? 0 : own.c1 * cc * (2 - cc));
    if (own.dense) {
        own.covariance *= kept;
        own.covariance += own.c1 * own.path * own.path.transpose();
        own.covariance += own.cmu * (best * own.weights.asDiagonal()) * best.transpose();
    } else {
        own.covariance =
            kept * own.covariance + own.c1 * own.path.cwiseAbs2() + own.cmu * (best.cwiseAbs2() * own.weights);
        own.lengths = own.covariance.col(0).cwiseMax(1e-20).cwiseSqrt();
    }
    own.sigma *= elementary::exp(std::min(1.0, cs / own.damping * (length / own.expected - 1)));
    own.sigma = std::clamp(own.sigma, 1e-9, 1e3);
    if (own.dense && own.generation % own.generationsPerTurn == 0) own.turn();
}

double folded(double gene) {
    constexpr double kBelowOne = 0x1.fffffffffffffp-1;
    if (!std::isfinite(gene)) return 0;
    const double turn = std::fabs(gene) - 2 * std::floor(std::fabs(gene) / 2);  // in [0, 2)
    return std::min(turn > 1 ? 2 - turn : turn, kBelowOne);
}

}  // namespace tessera::explore
