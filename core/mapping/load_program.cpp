#include "core/mapping/load_program.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "core/base/number.h"

namespace tessera::mapping {
namespace {

constexpr double kTiny = 1e-11;

/// A dense factorisation with row pivoting.
class Factors {
public:
    explicit Factors(std::size_t size) : size_(size), a_(size * size), row_(size), work_(size) {}
    double& at(std::size_t r, std::size_t c) { return a_[r * size_ + c]; }

    bool factor() {
        std::iota(row_.begin(), row_.end(), std::size_t{0});
        for (std::size_t c = 0; c < size_; ++c) {
            std::size_t best = c;
            for (std::size_t r = c + 1; r < size_; ++r)
                if (std::abs(at(r, c)) > std::abs(at(best, c))) best = r;
            if (!(std::abs(at(best, c)) > 1e-14)) return false;
            if (best != c) {
                std::swap_ranges(a_.begin() + static_cast<std::ptrdiff_t>(c * size_),
                                 a_.begin() + static_cast<std::ptrdiff_t>((c + 1) * size_),
                                 a_.begin() + static_cast<std::ptrdiff_t>(best * size_));
                std::swap(row_[c], row_[best]);
            }
            for (std::size_t r = c + 1; r < size_; ++r) {
                const double factor = at(r, c) /= at(c, c);
                if (factor == 0) continue;
                for (std::size_t k = c + 1; k < size_; ++k) at(r, k) -= factor * at(c, k);
            }
        }
        return true;
    }

    /// x with A x = b.
    void solve(const std::vector<double>& b, std::vector<double>& x) {
        for (std::size_t r = 0; r < size_; ++r) {
            double value = b[row_[r]];
            for (std::size_t c = 0; c < r; ++c) value -= at(r, c) * x[c];
            x[r] = value;
        }
        for (std::size_t r = size_; r-- > 0;) {
            double value = x[r];
            for (std::size_t c = r + 1; c < size_; ++c) value -= at(r, c) * x[c];
            x[r] = value / at(r, r);
        }
    }

    /// y with yᵀ A = bᵀ.
    void solveTransposed(const std::vector<double>& b, std::vector<double>& y) {
        for (std::size_t c = 0; c < size_; ++c) {
            double value = b[c];
            for (std::size_t r = 0; r < c; ++r) value -= at(r, c) * work_[r];
            work_[c] = value / at(c, c);
        }
        for (std::size_t c = size_; c-- > 0;) {
            double value = work_[c];
            for (std::size_t r = c + 1; r < size_; ++r) value -= at(r, c) * work_[r];
            work_[c] = value;
        }
        for (std::size_t r = 0; r < size_; ++r) y[row_[r]] = work_[r];
    }

private:
    std::size_t size_;
    std::vector<double> a_;
    std::vector<std::size_t> row_;
    std::vector<double> work_;
};

/// What stands in a column of the working basis.
struct Column {
    enum class Kind : std::uint8_t { top, slack, extra } kind = Kind::top;
    std::size_t item = 0;  ///< or the slack's row
    std::size_t option = 0;
};

class Simplex {
public:
    explicit Simplex(const LoadProgram& program)
        : p_(program),
          factors_(program.rows),
          key_(program.items),
          columns_(program.rows),
          load_(program.rows),
          value_(program.rows),
          direction_(program.rows),
          entering_(program.rows),
          cost_(program.rows),
          dual_(program.rows) {}

    void start(const std::vector<double>& weights);
    bool run(double max, const std::function<bool()>& isEnough);
    std::vector<double> weights() const;
    void describe(LoadSolution& solution) const;
    double work = 0;

private:
    const double* use(std::size_t item, std::size_t option) const {
        return p_.use.data() + (item * p_.options + option) * p_.rows;
    }
    bool refactor();
    bool price(bool careful);
    bool step();

    const LoadProgram& p_;
    Factors factors_;
    std::vector<std::size_t> key_;
    std::vector<Column> columns_;
    std::vector<double> load_;  ///< of the keys, by row
    std::vector<double> value_, direction_, entering_, cost_, dual_;
    Column enters_;
    double scale_ = 1;
};

/// Every item at its best option by the weights; the fullest row's slack is out of the basis.
void Simplex::start(const std::vector<double>& weights) {
    for (std::size_t j = 0; j < p_.items; ++j) {
        double min = kInfinity;
        for (std::size_t o = 0; o < p_.options; ++o) {
            if (!p_.allowed[j * p_.options + o]) continue;
            double value = 0;
            for (std::size_t r = 0; r < p_.rows; ++r) value += weights[r] * use(j, o)[r];
            if (value < min) {
                min = value;
                key_[j] = o;
            }
        }
        for (std::size_t r = 0; r < p_.rows; ++r) load_[r] += use(j, key_[j])[r];
    }
    const auto fullest = static_cast<std::size_t>(std::max_element(load_.begin(), load_.end()) - load_.begin());
    scale_ = std::max(load_[fullest], std::numeric_limits<double>::min());
    for (std::size_t r = 0; r < p_.rows; ++r) columns_[r] = r == fullest ? Column{} : Column{Column::Kind::slack, r, 0};
}

bool Simplex::refactor() {
    for (std::size_t c = 0; c < p_.rows; ++c) {
        const Column& column = columns_[c];
        for (std::size_t r = 0; r < p_.rows; ++r) {
            double entry = 0;
            if (column.kind == Column::Kind::top) entry = -1;
            if (column.kind == Column::Kind::slack) entry = column.item == r ? 1 : 0;
            if (column.kind == Column::Kind::extra)
                entry = (use(column.item, column.option)[r] - use(column.item, key_[column.item])[r]) / scale_;
            factors_.at(r, c) = entry;
        }
    }
    std::fill(load_.begin(), load_.end(), 0);
    for (std::size_t j = 0; j < p_.items; ++j)
        for (std::size_t r = 0; r < p_.rows; ++r) load_[r] -= use(j, key_[j])[r] / scale_;
    if (!factors_.factor()) return false;
    factors_.solve(load_, value_);
    return true;
}

/// The column with the minimum reduced cost; false where none is negative.
bool Simplex::price(bool careful) {
    std::fill(cost_.begin(), cost_.end(), 0);
    for (std::size_t c = 0; c < p_.rows; ++c)
        if (columns_[c].kind == Column::Kind::top) cost_[c] = 1;
    factors_.solveTransposed(cost_, dual_);
    double min = -kTiny;
    bool found = false;
    const auto consider = [&](double reduced, const Column& column) {
        if (reduced >= min || (careful && found)) return;
        min = reduced;
        enters_ = column;
        found = true;
    };
    for (std::size_t r = 0; r < p_.rows; ++r) consider(-dual_[r], {Column::Kind::slack, r, 0});
    for (std::size_t j = 0; j < p_.items; ++j) {
        const double* const key = use(j, key_[j]);
        double own = 0;
        for (std::size_t r = 0; r < p_.rows; ++r) own -= dual_[r] * key[r];
        for (std::size_t o = 0; o < p_.options; ++o) {
            if (o == key_[j] || !p_.allowed[j * p_.options + o]) continue;
            const double* const other = use(j, o);
            double value = 0;
            for (std::size_t r = 0; r < p_.rows; ++r) value -= dual_[r] * other[r];
            consider((value - own) / scale_, {Column::Kind::extra, j, o});
        }
    }
    return found;
}

/// One exchange of the basis; false where numbers no longer allow one.
bool Simplex::step() {
    for (std::size_t r = 0; r < p_.rows; ++r) {
        if (enters_.kind == Column::Kind::slack)
            entering_[r] = enters_.item == r ? 1 : 0;
        else
            entering_[r] = (use(enters_.item, enters_.option)[r] - use(enters_.item, key_[enters_.item])[r]) / scale_;
    }
    factors_.solve(entering_, direction_);
    double shortest = kInfinity;
    std::size_t leaving = p_.rows;
    bool isKey = false;
    for (std::size_t c = 0; c < p_.rows; ++c) {
        if (direction_[c] > kTiny) {
            const double ratio = std::max(0.0, value_[c]) / direction_[c];
            if (ratio < shortest) {
                shortest = ratio;
                leaving = c;
                isKey = false;
            }
        }
        if (columns_[c].kind != Column::Kind::extra) continue;
        // The key of an item that has extras, looked at once for each of them.
        const std::size_t item = columns_[c].item;
        double share = 1, slope = enters_.kind == Column::Kind::extra && enters_.item == item ? -1 : 0;
        for (std::size_t e = 0; e < p_.rows; ++e)
            if (columns_[e].kind == Column::Kind::extra && columns_[e].item == item) {
                share -= value_[e];
                slope += direction_[e];
            }
        if (slope >= -kTiny) continue;
        const double ratio = std::max(0.0, share) / -slope;
        if (ratio < shortest) {
            shortest = ratio;
            leaving = c;
            isKey = true;
        }
    }
    if (enters_.kind == Column::Kind::extra && shortest >= 1) {
        const bool hasExtras = std::any_of(columns_.begin(), columns_.end(), [&](const Column& column) {
            return column.kind == Column::Kind::extra && column.item == enters_.item;
        });
        if (!hasExtras) {
            key_[enters_.item] = enters_.option;
            return true;
        }
    }
    if (leaving == p_.rows) return false;
    if (!isKey) {
        columns_[leaving] = enters_;
        return true;
    }
    key_[columns_[leaving].item] = columns_[leaving].option;
    columns_[leaving] = enters_;
    return true;
}

bool Simplex::run(double max, const std::function<bool()>& isEnough) {
    const auto rows = static_cast<double>(p_.rows);
    const double each = rows * (rows * rows / 3 + static_cast<double>(p_.items * (p_.options + 2)));
    for (std::size_t steps = 0; work < max; work += each, ++steps) {
        if (!refactor()) return false;
        if (!price(steps > 20 * (p_.rows + p_.items))) return true;
        if (!step()) return false;
        if (isEnough && isEnough()) return false;
    }
    return false;
}

std::vector<double> Simplex::weights() const {
    std::vector<double> weights(p_.rows);
    double sum = 0;
    for (std::size_t r = 0; r < p_.rows; ++r) sum += weights[r] = std::max(0.0, -dual_[r]);
    for (double& weight : weights) weight = sum > 0 ? weight / sum : 1 / static_cast<double>(p_.rows);
    return weights;
}

void Simplex::describe(LoadSolution& solution) const {
    solution.option.resize(p_.items);
    solution.split.assign(p_.items, 0);
    std::vector<double> keyShare(p_.items, 1), max(p_.items, 0);
    for (std::size_t c = 0; c < p_.rows; ++c)
        if (columns_[c].kind == Column::Kind::extra) keyShare[columns_[c].item] -= value_[c];
    for (std::size_t j = 0; j < p_.items; ++j) {
        solution.option[j] = static_cast<std::int32_t>(key_[j]);
        max[j] = keyShare[j];
    }
    constexpr double kShare = 1e-7;
    for (std::size_t c = 0; c < p_.rows; ++c) {
        const Column& column = columns_[c];
        if (column.kind != Column::Kind::extra) continue;
        if (value_[c] > kShare && value_[c] < 1 - kShare) solution.split[column.item] = 1;
        if (value_[c] <= max[column.item]) continue;
        max[column.item] = value_[c];
        solution.option[column.item] = static_cast<std::int32_t>(column.option);
    }
    solution.work = work;
}

}  // namespace

double loadValue(const LoadProgram& program, const std::vector<double>& weights) {
    double total = 0, weight = 0;
    for (const double w : weights) weight += w;
    for (std::size_t j = 0; j < program.items; ++j) {
        double min = kInfinity;
        for (std::size_t o = 0; o < program.options; ++o) {
            if (!program.allowed[j * program.options + o]) continue;
            const double* const use = program.use.data() + (j * program.options + o) * program.rows;
            double value = 0;
            for (std::size_t r = 0; r < program.rows; ++r) value += weights[r] * use[r];
            min = std::min(min, value);
        }
        total += min;
    }
    // Sums of n terms of 0 or more are off by n·2⁻⁵³ at most.
    const auto terms = static_cast<double>(program.items + 2 * program.rows + 4);
    return weight > 0 ? total / weight * (1 - terms * 0x1p-52) : 0;
}

LoadSolution solveLoad(const LoadProgram& program, double max, const std::vector<double>& start,
                       const std::function<bool()>& isEnough) {
    Simplex simplex(program);
    simplex.start(start.empty() ? std::vector<double>(program.rows, 1) : start);
    LoadSolution solution;
    solution.exact = simplex.run(max, isEnough);
    solution.weights = simplex.weights();
    solution.value = loadValue(program, solution.weights);
    simplex.describe(solution);
    return solution;
}

}  // namespace tessera::mapping
