#include <Eigen/Dense>
#include <algorithm>
#include <cstddef>

#include "core/explore/eigen.h"
#include "core/mapping/record.h"

namespace tessera::mapping {

namespace {

using Matrix = Eigen::MatrixXd;
using Index = Eigen::Index;

constexpr Index kSubspace = 6;               ///< vectors that are turned together; the first two matter
constexpr int kTurns = 40;                   ///< of the block at most
constexpr Index kMaxCovarianceGenes = 1500;  ///< up to which the covariance is written out

/// One row per sample of all runs, around their mean.
Matrix centred(const std::vector<const KeptSamples*>& kept) {
    Index rows = 0, genes = 0;
    for (const KeptSamples* samples : kept) {
        rows += static_cast<Index>(samples->size());
        genes = static_cast<Index>(samples->genesPerSample());
    }
    using Rows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    Matrix matrix(rows, genes);
    Index row = 0;
    for (const KeptSamples* samples : kept) {
        const auto count = static_cast<Index>(samples->size());
        matrix.middleRows(row, count) = Eigen::Map<const Rows>(samples->genes().data(), count, genes).cast<double>();
        row += count;
    }
    matrix.rowwise() -= matrix.colwise().mean().eval();
    return matrix;
}

/// The vectors of the greatest variance: a block of vectors is turned towards them by the covariance again and again
/// (subspace iteration), then the best two of its span are taken. Golub, Van Loan: "Matrix Computations", 8.2.4.
Matrix mainComponents(const Matrix& samples) {
    const Index genes = samples.cols();
    const Index block = std::min(kSubspace, genes);
    Matrix covariance;
    if (genes <= kMaxCovarianceGenes) {
        covariance = Matrix::Zero(genes, genes);
        covariance.selfadjointView<Eigen::Lower>().rankUpdate(samples.transpose());
        covariance.triangularView<Eigen::StrictlyUpper>() = covariance.transpose();
    }
    const auto turned = [&](const Matrix& vectors) -> Matrix {
        if (covariance.size() > 0) return covariance * vectors;
        return samples.transpose() * (samples * vectors);
    };
    Matrix basis(genes, block);
    for (Index column = 0; column < block; ++column)
        for (Index gene = 0; gene < genes; ++gene)
            basis(gene, column) = static_cast<double>((gene * 7919 + column * 104'729 + 13) % 1009) / 1009 - 0.5;
    const int turns = covariance.size() > 0 ? kTurns : kTurns / 4;
    for (int turn = 0; turn < turns; ++turn) {
        const Eigen::HouseholderQR<Matrix> factors(turned(basis));
        basis = factors.householderQ() * Matrix::Identity(genes, block);
    }
    const Eigen::SelfAdjointEigenSolver<Matrix> inner(basis.transpose() * turned(basis));
    return basis * inner.eigenvectors().rightCols(std::min<Index>(2, block)).rowwise().reverse();
}

}  // namespace

void project(const std::vector<const KeptSamples*>& kept, const std::vector<std::vector<ExploredPoint>*>& points) {
    explore::initialiseEigen();
    const Matrix samples = centred(kept);
    if (samples.rows() < 2) return;
    Matrix components = mainComponents(samples);
    for (Index column = 0; column < components.cols(); ++column) {
        Index greatest = 0;
        components.col(column).cwiseAbs().maxCoeff(&greatest);
        if (components(greatest, column) < 0) components.col(column) *= -1;
    }
    const Matrix plane = samples * components;
    Index row = 0;
    for (std::vector<ExploredPoint>* run : points)
        for (ExploredPoint& point : *run) {
            point.x = plane(row, 0);
            point.y = plane.cols() > 1 ? plane(row, 1) : 0;
            ++row;
        }
}

}  // namespace tessera::mapping
