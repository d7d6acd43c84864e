#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/quantity.h"

namespace tessera::predict {

inline constexpr std::uintmax_t kLargestKernelTable = std::uintmax_t{64} << 20;

/// Measured times of kernels by shape and data type: what a micro-benchmark yields.
class KernelTable {
public:
    /// Sizes along every axis of a shape, such as 1024×1024×1024.
    using Sizes = std::vector<double>;

    struct Found {
        bool known = false;           ///< the table has this kernel in this data type
        std::optional<Seconds> time;  ///< empty outside of what was measured
    };

    void add(const std::string& kernel, const std::string& dtype, const Sizes& sizes, Seconds time);
    /// Interpolated linearly in the logarithms of sizes and time, never beyond what was measured: between the two
    /// shapes that differ from this one along one axis only, where there are such on both sides (the closest pair
    /// counts), else between the corners of the measured cell around it, all of which must be there.
    Found find(const std::string& kernel, const std::string& dtype, const Sizes& sizes) const;
    bool empty() const { return kernels_.empty(); }
    /// Median relative difference of two passes of the calibration that measured the table; empty if the table does not
    /// say.
    std::optional<double> noise() const { return noise_; }
    void setNoise(double share) { noise_ = share; }
    std::size_t rows() const { return rows_; }

private:
    /// One kernel in one data type, of shapes with one number of axes.
    struct Kernel {
        std::vector<std::vector<double>> axes;          ///< measured sizes along each, rising
        std::map<Sizes, std::vector<double>> measured;  ///< seconds, rising; their median counts
        /// Measured sizes along an axis, rising, by the axis and the sizes along all others (its own is 0).
        std::vector<std::map<Sizes, std::vector<double>>> lines;
    };
    static std::optional<double> interpolate(const Kernel& kernel, const Sizes& sizes);
    static std::optional<double> alongLine(const Kernel& kernel, const Sizes& sizes);
    static std::optional<double> insideCell(const Kernel& kernel, const Sizes& sizes);

    std::map<std::pair<std::string, std::string>, std::map<std::size_t, Kernel>> kernels_;
    std::size_t rows_ = 0;
    std::optional<double> noise_;
};

/// Prefix of the comment that states this difference in a table: "# passes differ by 0.201", a share.
inline constexpr std::string_view kNoiseMark = "# passes differ by ";

/// Reads a CSV whose header is `kernel,shape,dtype,seconds`; a shape is sizes joined by 'x'. Lines from '#' on are
/// comments, among them `kNoiseMark`. Throws DataError.
KernelTable readKernels(std::string_view bytes, const std::string& file);

}  // namespace tessera::predict
