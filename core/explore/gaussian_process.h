#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "core/explore/space.h"

namespace tessera::explore {

/// A function known at some points, and what it may be elsewhere: a Gaussian process with a constant mean, the Matérn
/// kernel of smoothness 5/2 over the shares of the variables (two categories are 1 apart) with a length for each
/// variable, and noise. Rasmussen, Williams: "Gaussian Processes for Machine Learning", 2006, chapters 2, 4 and 5. The
/// process's mean and variance are those of the largest likelihood; lengths and noise are those of the largest
/// likelihood times a wide prior, which keeps lengths near the size of the space where the points say nothing of them:
/// log-normal, about exp(√2 + ln(d)/2) for d variables (Hvarfner, Hellsten, Nardi: "Vanilla Bayesian optimization
/// performs great in high dimensions", ICML 2024).
class GaussianProcess {
public:
    /// What is learnt from the points about the kernel.
    struct Kernel {
        std::vector<double> lengths = {};  ///< by variable, in shares; the larger, the less it matters
        double noise = 1e-6;               ///< variance of the noise over that of the process
    };
    struct Prediction {
        double mean = 0;
        double deviation = 0;  ///< standard error of the mean
    };

    /// Points by their shares, as `sharesOf` gives them, and their values; both of the same number, at least one, all
    /// finite. Learns the kernel from them, of more than `kLearnt` from `someOf` them; or takes the one that is given.
    /// Throws std::logic_error where shares that are not finite leave no kernel.
    GaussianProcess(const std::vector<Variable>& variables, const std::vector<std::vector<double>>& shares,
                    const std::vector<double>& values);
    GaussianProcess(const std::vector<Variable>& variables, const std::vector<std::vector<double>>& shares,
                    const std::vector<double>& values, Kernel kernel);
    GaussianProcess(GaussianProcess&&) noexcept;
    GaussianProcess& operator=(GaussianProcess&&) noexcept;
    ~GaussianProcess();

    static constexpr std::size_t kLearnt = 200;

    /// Adds a point, with the same kernel and process variance: in O(n²).
    void add(std::span<const double> shares, double value);

    Prediction at(std::span<const double> shares) const;
    std::vector<Prediction> at(const std::vector<std::vector<double>>& shares) const;
    /// The means alone, which take a fraction of the time.
    std::vector<double> meansAt(const std::vector<std::vector<double>>& shares) const;

    const Kernel& kernel() const;
    /// Logarithm of the likelihood of the values that it was made of, up to a constant for their number.
    double logLikelihood() const;
    /// Standard deviation of the noise, in units of the values.
    double noiseDeviation() const;
    /// Which share of the variance of the values it predicts, each from all others: 1 less the mean square of these
    /// errors over the variance. 0 or below: nothing; also of fewer than three points, or without variance. Dubrule:
    /// "Cross validation of kriging in a unique neighborhood", Mathematical Geology 15(6), 1983.
    double explained() const;

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

/// Returns numbers from 0 to below `count`, rising: all, or `max` of them where there are more, the same ones for the
/// same count. They are drawn, since points of designs repeat a pattern, of which an even choice may see only a part.
std::vector<std::size_t> someOf(std::size_t count, std::size_t max);

}  // namespace tessera::explore
