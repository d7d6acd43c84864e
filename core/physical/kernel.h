#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/physical/device.h"
#include "core/physical/estimate.h"
#include "core/physical/measured_table.h"

namespace tessera::physical {

/// One kernel: its name and sizes are those of data/measured/README.md.
struct KernelRequest {
    std::string kernel = {};
    std::vector<double> shape = {};
    std::string dtype = {};
};

/// A sentence that says why a request means nothing: a kernel that is not known, sizes or a data type that are none.
/// Empty where it is one.
std::string kernelFault(const KernelRequest& request);

/// A measured kernel.
struct KernelRow {
    KernelRequest request;
    double seconds = 0;
    std::string source = {};  ///< who measured it; tables of several are never mixed
};

/// A row of a table with the columns kernel, shape, dtype and seconds. Throws DataError for cells that mean nothing;
/// the kernel may be none that is known.
KernelRow kernelRowOf(const MeasuredTable& table, const MeasuredRow& row);

/// The rows of a table (columns kernel,shape,dtype,seconds; `# source: NAME` names the source of the rows below).
/// Throws DataError for a row that is none, FileError for a file that cannot be read.
std::vector<KernelRow> readKernels(const std::filesystem::path& file);

/// Seconds of the kernels of one accelerator.
///
/// A form per family (kernel_forms.h) times measured / form as interpolated in logarithms between the 12 nearest
/// measured shapes of the kernel, data type and source by kriging (neighbours.h), distances in octaves of sizes: near
/// shapes of which one is a little faster are felt, tile edges between them come from the form, and far from all shapes
/// the form alone counts. Each source is fitted and interpolated apart. The 90 % interval is the quantile of
/// leave-one-out errors of the same rows (240 shapes at most), in units of how uncertain the interpolation is and how
/// much near shapes disagree. Reading is safe from several threads.
class KernelModel {
public:
    /// `rows` may be empty: then every kernel is by the fits of the device's description, or transferred. The device
    /// has peaks and a bandwidth of its memory. Throws DataError for a row whose kernel, sizes, data type or seconds
    /// mean nothing.
    KernelModel(Device device, std::vector<KernelRow> rows);
    ~KernelModel();
    KernelModel(KernelModel&&) noexcept;
    KernelModel& operator=(KernelModel&&) noexcept;

    /// Seconds by all rows; a measured shape is the median of its rows. Where several sources measured the kernel, the
    /// one with most rows counts. Refused for an unknown kernel or data type and for sizes that are none.
    Prediction predict(const KernelRequest& request) const;
    /// The same by the rows of one source.
    Prediction predict(const KernelRequest& request, std::string_view source) const;
    /// Seconds of a row's shape as if that shape had never been measured: all rows of it are left out of the
    /// neighbours, and parameters and interval are those fitted on the other half of the shapes (halves by a hash of
    /// the sizes).
    Prediction judge(std::size_t row) const;

    /// Where `predict` takes the seconds from.
    KernelBasis basis(const KernelRequest& request) const;

    const std::vector<KernelRow>& rows() const;

private:
    struct Data;
    std::unique_ptr<Data> data_;
};

}  // namespace tessera::physical
