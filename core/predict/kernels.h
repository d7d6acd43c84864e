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
    /// Interpolated linearly in the logarithms of sizes and time between the measured shapes around this one, all of
    /// which must be there.
    Found find(const std::string& kernel, const std::string& dtype, const Sizes& sizes) const;
    bool empty() const { return kernels_.empty(); }
    std::size_t rows() const { return rows_; }

private:
    /// One kernel in one data type, of shapes with one number of axes.
    struct Kernel {
        std::vector<std::vector<double>> axes;          ///< measured sizes along each, rising
        std::map<Sizes, std::vector<double>> measured;  ///< seconds, rising; their median counts
    };
    static std::optional<double> interpolate(const Kernel& kernel, const Sizes& sizes);

    std::map<std::pair<std::string, std::string>, std::map<std::size_t, Kernel>> kernels_;
    std::size_t rows_ = 0;
};

/// Reads a CSV whose header is `kernel,shape,dtype,seconds`; a shape is sizes joined by 'x'. Throws DataError.
KernelTable readKernels(std::string_view bytes, const std::string& file);

}  // namespace tessera::predict
