#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/error.h"
#include "core/explore/bootstrap.h"
#include "core/explore/method_rows.h"
#include "core/explore/sensitivity.h"
#include "core/explore/session.h"
#include "core/explore/sobol_sequence.h"

namespace tessera::explore {

namespace {

/// Rows of points: one of a sample A, one of a sample B, and for each variable the one of A with B's value of it. A row
/// is evaluated as a whole, so that whatever is ended early can be used.
class SaltelliDesign {
public:
    explicit SaltelliDesign(const MethodProblem& problem)
        : problem_(problem), varying_(freeVariables(problem.variables)) {
        const auto left = problem.points - static_cast<std::int64_t>(problem.begin.size());
        const auto each = static_cast<std::int64_t>(length());
        rows_ = left < each ? 0 : varying_.empty() ? 1 : static_cast<std::size_t>(left / each);
    }

    std::size_t rows() const { return rows_; }
    /// Points of a row.
    std::size_t length() const { return varying_.size() + 2; }
    const std::vector<std::size_t>& varying() const { return varying_; }

    SobolSequence sequence() const { return {2 * problem_.variables.size(), problem_.seed}; }
    std::vector<Point> next(SobolSequence& sequence) const {
        const std::vector<double> shares = sequence.next();
        const auto half = shares.begin() + static_cast<std::ptrdiff_t>(problem_.variables.size());
        const Point a = pointAt(problem_.variables, {shares.begin(), half});
        const Point b = pointAt(problem_.variables, {half, shares.end()});
        std::vector<Point> row{a, b};
        for (const std::size_t i : varying_) {
            row.push_back(a);
            row.back()[i] = b[i];
        }
        return row;
    }

private:
    const MethodProblem& problem_;
    std::vector<std::size_t> varying_;  ///< variables with more than one value
    std::size_t rows_ = 0;
};

std::int64_t countSaltelli(const MethodProblem& problem) {
    const SaltelliDesign design(problem);
    return design.rows() == 0 ? 0 : static_cast<std::int64_t>(problem.begin.size() + design.rows() * design.length());
}

void checkSaltelli(const MethodProblem& problem) {
    const SaltelliDesign design(problem);
    if (design.rows() == 0)
        throw UsageError(
            fmt::format("shares of the variance of {} variables take {} points for each row of the "
                        "design; expected at least as many beside the {} to begin with, not {}",
                        problem.variables.size(), design.length(), problem.begin.size(), problem.points));
}

void runSaltelli(const MethodProblem& problem, const EvaluatePoints& evaluate) {
    checkSaltelli(problem);
    Session session(problem, evaluate);
    const SaltelliDesign design(problem);
    session.begin();
    SobolSequence sequence = design.sequence();
    session.evaluateGroups(design.rows(), [&](std::size_t) { return design.next(sequence); });
}

}  // namespace

Method sobolIndicesMethod() {
    return {
        .id = "sobol-indices",
        .title = "Sobol' indices",
        .help = "Which share of the variance each variable causes, alone and with others; wants thousands of points",
        .kind = Method::Kind::sensitivity,
        .run = runSaltelli,
        .count = countSaltelli,
        .check = checkSaltelli};
}

std::vector<VarianceShares> sobolIndices(const MethodProblem& problem, std::span<const double> values,
                                         double probability) {
    const double none = std::numeric_limits<double>::quiet_NaN();
    const SaltelliDesign design(problem);
    const std::size_t length = design.length(), first = problem.begin.size();
    const std::size_t rows = std::min(design.rows(), values.size() < first ? 0 : (values.size() - first) / length);
    // Of rows whose A and B are known.
    std::vector<std::size_t> kept;
    double sum = 0;
    for (std::size_t row = 0; row < rows; ++row) {
        const double* const at = &values[first + row * length];
        if (!std::isfinite(at[0]) || !std::isfinite(at[1])) continue;
        kept.push_back(row);
        sum += at[0] + at[1];
    }
    const double mean = sum / static_cast<double>(2 * kept.size());
    std::vector<VarianceShares> all(problem.variables.size(), {{0, 0, 0}, {0, 0, 0}});
    for (std::size_t place = 0; place < design.varying().size(); ++place) {
        struct Row {
            double a, b, ab;
        };
        std::vector<Row> own;
        for (const std::size_t row : kept) {
            const double* const at = &values[first + row * length];
            if (std::isfinite(at[2 + place])) own.push_back({at[0] - mean, at[1] - mean, at[2 + place] - mean});
        }
        VarianceShares& shares = all[design.varying()[place]];
        if (own.size() < 2) {
            shares = {{none, none, none}, {none, none, none}};
            continue;
        }
        // The variance is that of all values of A and B in the sample.
        const auto share = [&](const std::vector<double>& times, const auto& part) {
            double parts = 0, sums = 0, squares = 0;
            for (std::size_t i = 0; i < own.size(); ++i) {
                parts += times[i] * part(own[i]);
                sums += times[i] * (own[i].a + own[i].b);
                squares += times[i] * (own[i].a * own[i].a + own[i].b * own[i].b);
            }
            const auto count = static_cast<double>(own.size());
            const double middle = sums / (2 * count), variance = squares / (2 * count) - middle * middle;
            return variance > 0 ? parts / count / variance : none;
        };
        const std::uint64_t seed = problem.seed + place;
        shares.first = bootstrapped(own.size(), seed, probability, [&](const std::vector<double>& times) {
            return share(times, [](const Row& row) { return row.b * (row.ab - row.a); });
        });
        shares.total = bootstrapped(own.size(), seed, probability, [&](const std::vector<double>& times) {
            return share(times, [](const Row& row) { return (row.a - row.ab) * (row.a - row.ab) / 2; });
        });
    }
    if (kept.size() < 2)
        for (VarianceShares& shares : all) shares = {{none, none, none}, {none, none, none}};
    return all;
}

}  // namespace tessera::explore
