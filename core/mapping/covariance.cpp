#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "core/base/elementary.h"
#include "core/mapping/population.h"
#include "core/mapping/real_genome.h"
#include "core/mapping/searches.h"
#include "core/mapping/state.h"

namespace tessera::mapping {

namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
using Index = Eigen::Index;

/// Genes up to which all pairs are learnt; above, a turn of the axes takes longer than Cancel may wait, and only the
/// axes' lengths are. Ros, Hansen: "A simple modification in CMA-ES achieving linear time and space complexity", 2008.
constexpr Index kMaxDense = 240;
constexpr std::int64_t kGenerationsPerTurn = 4;

Json packedOf(const Vector& vector) {
    return packed(std::span<const double>(vector.data(), static_cast<std::size_t>(vector.size())));
}

Json packedOf(const Matrix& matrix) {
    return packed(std::span<const double>(matrix.data(), static_cast<std::size_t>(matrix.size())));
}

Matrix matrixFrom(const Json& json, Index rows, Index columns) {
    const std::vector<double> numbers = unpackedDoubles(json);
    if (static_cast<Index>(numbers.size()) != rows * columns) refuseState();
    return Eigen::Map<const Matrix>(numbers.data(), rows, columns);
}

/// Hansen: "The CMA Evolution Strategy: A Tutorial", 2016, with its default constants. Not pagmo's, which multiplies
/// two whole matrices per sample: with 100 jobs that is 100 samples per second, and with 1,000 none.
class CovarianceAdaptation {
public:
    CovarianceAdaptation(const Trial& trial, const Json& state)
        : genes_(static_cast<Index>(2 * trial.jobs())),
          children_(populationSize(trial, 8)),
          parents_(children_ / 2),
          dense_(genes_ <= kMaxDense) {
        initialiseEigen();
        setConstants();
        if (state.is_null())
            begin(trial);
        else
            resume(state);
    }

    void step(Trial& trial) {
        std::vector<Mapping> mappings(children_);
        Matrix moves(genes_, static_cast<Index>(children_));
        for (std::size_t i = 0; i < children_; ++i) {
            NormalStream normal(streamOf(trial, generation_, i));
            Vector drawn(genes_);
            for (double& number : drawn) number = normal.next();
            Vector move = lengths_.cwiseProduct(drawn);
            if (dense_) move = axes_ * move;
            // The first one of all is the mean itself: a mapping to start from is looked at.
            if (generation_ == 0 && i == 0) move.setZero();
            moves.col(static_cast<Index>(i)) = move;
            const Vector genome = mean_ + sigma_ * move;
            mappings[i] = mappingOfUnit({genome.data(), static_cast<std::size_t>(genes_)}, trial.cores());
            trial.poll();
        }
        adapt(moves, trial.evaluateAll(mappings));
        if (dense_ && generation_ % kGenerationsPerTurn == 0) turn();
    }

    Json state() const {
        return {{"generation", generation_},    {"sigma", sigma_},
                {"mean", packedOf(mean_)},      {"path", packedOf(path_)},
                {"even_path", packedOf(even_)}, {"covariance", packedOf(covariance_)},
                {"axes", packedOf(axes_)},      {"lengths", packedOf(lengths_)}};
    }

private:
    void setConstants() {
        const auto n = static_cast<double>(genes_);
        weights_.resize(static_cast<Index>(parents_));
        for (Index i = 0; i < weights_.size(); ++i)
            weights_[i] =
                elementary::log(static_cast<double>(parents_) + 0.5) - elementary::log(static_cast<double>(i + 1));
        weights_ /= weights_.sum();
        mass_ = 1 / weights_.squaredNorm();
        cc_ = (4 + mass_ / n) / (n + 4 + 2 * mass_ / n);
        cs_ = (mass_ + 2) / (n + mass_ + 5);
        c1_ = 2 / ((n + 1.3) * (n + 1.3) + mass_);
        cmu_ = std::min(1 - c1_, 2 * (mass_ - 2 + 1 / mass_) / ((n + 2) * (n + 2) + mass_));
        if (!dense_) {
            c1_ = std::min(0.5, c1_ * (n + 2) / 3);
            cmu_ = std::min(1 - c1_, cmu_ * (n + 2) / 3);
        }
        damping_ = 1 + 2 * std::max(0.0, elementary::sqrt((mass_ - 1) / (n + 1)) - 1) + cs_;
        expected_ = elementary::sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n * n));
    }

    void begin(const Trial& trial) {
        const std::vector<Mapping>& warm = trial.options().warmStart;
        mean_ = Vector::Constant(genes_, 0.5);
        if (!warm.empty()) {
            const std::vector<double> unit = unitOf(warm.front(), trial.cores());
            mean_ = Eigen::Map<const Vector>(unit.data(), genes_);
        }
        sigma_ = trial.setting("sigma");
        path_ = even_ = Vector::Zero(genes_);
        lengths_ = Vector::Ones(genes_);
        covariance_ = dense_ ? Matrix(Matrix::Identity(genes_, genes_)) : Matrix(Matrix::Ones(genes_, 1));
        if (dense_) axes_ = Matrix::Identity(genes_, genes_);
    }

    void resume(const Json& json) {
        generation_ = json.at("generation");
        sigma_ = json.at("sigma");
        mean_ = matrixFrom(json.at("mean"), genes_, 1);
        path_ = matrixFrom(json.at("path"), genes_, 1);
        even_ = matrixFrom(json.at("even_path"), genes_, 1);
        lengths_ = matrixFrom(json.at("lengths"), genes_, 1);
        covariance_ = matrixFrom(json.at("covariance"), genes_, dense_ ? genes_ : 1);
        if (dense_) axes_ = matrixFrom(json.at("axes"), genes_, genes_);
    }

    /// Moves the mean to the better half and the distribution towards the steps that led there.
    void adapt(const Matrix& moves, const std::vector<double>& values) {
        std::vector<std::size_t> order(values.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return values[a] < values[b]; });
        Matrix best(genes_, static_cast<Index>(parents_));
        for (Index i = 0; i < best.cols(); ++i)
            best.col(i) = moves.col(static_cast<Index>(order[static_cast<std::size_t>(i)]));
        const Vector shift = best * weights_;
        mean_ += sigma_ * shift;
        ++generation_;

        Vector even = shift;
        if (dense_) even = axes_.transpose() * even;
        even = even.cwiseQuotient(lengths_);
        if (dense_) even = axes_ * even;
        even_ = (1 - cs_) * even_ + elementary::sqrt(cs_ * (2 - cs_) * mass_) * even;
        const double length = even_.norm();
        const double settled = 1 - elementary::pow(1 - cs_, 2 * static_cast<double>(generation_));
        const bool isShort =
            length / elementary::sqrt(settled) < (1.4 + 2 / (static_cast<double>(genes_) + 1)) * expected_;
        path_ = (1 - cc_) * path_ + (isShort ? elementary::sqrt(cc_ * (2 - cc_) * mass_) : 0.0) * shift;
        const double kept = 1 - c1_ - cmu_ + (isShort ? 0 : c1_ * cc_ * (2 - cc_));
        if (dense_) {
            covariance_ *= kept;
            covariance_ += c1_ * path_ * path_.transpose();
            covariance_ += cmu_ * (best * weights_.asDiagonal()) * best.transpose();
        } else {
            covariance_ = kept * covariance_ + c1_ * path_.cwiseAbs2() + cmu_ * (best.cwiseAbs2() * weights_);
            lengths_ = covariance_.col(0).cwiseMax(1e-20).cwiseSqrt();
        }
        sigma_ *= elementary::exp(std::min(1.0, cs_ / damping_ * (length / expected_ - 1)));
        sigma_ = std::clamp(sigma_, 1e-9, 1e3);
    }

    /// Takes the axes of the distribution from its covariance.
    void turn() {
        const Matrix symmetric = (covariance_ + covariance_.transpose()) / 2;
        const Eigen::SelfAdjointEigenSolver<Matrix> solver(symmetric);
        if (solver.info() != Eigen::Success) return;
        axes_ = solver.eigenvectors();
        lengths_ = solver.eigenvalues().cwiseMax(1e-20).cwiseSqrt();
    }

    Index genes_;
    std::size_t children_, parents_;
    bool dense_;
    Vector weights_;
    double mass_ = 0, cc_ = 0, cs_ = 0, c1_ = 0, cmu_ = 0, damping_ = 0, expected_ = 0;

    std::int64_t generation_ = 0;
    double sigma_ = 0;
    Vector mean_, path_, even_, lengths_;
    Matrix covariance_, axes_;  ///< the covariance's diagonal alone, and no axes, where not dense
};

}  // namespace

Search startCovarianceAdaptation(Trial& trial, const Json& state) {
    return searchBy(std::make_shared<CovarianceAdaptation>(trial, state));
}

}  // namespace tessera::mapping
