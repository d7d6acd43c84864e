#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/physical/estimate.h"
#include "core/physical/gemm.h"

namespace tessera::physical {

/// Datasheet of an accelerator, one chip or card. A peak of 0 says that it has no such units.
struct KernelSheet {
    std::string_view name;
    double fp32 = 0;  ///< FLOP/s, dense, at boost clock, as all of these; outside of tensor cores
    double tf32 = 0;
    double fp16 = 0;
    double bf16 = 0;
    double fp8 = 0;
    double int8 = 0;
    double bandwidth = 0;  ///< bytes/s of device memory
    double cache = 0;      ///< bytes of L2
    double units = 0;      ///< streaming multiprocessors
    std::string_view source;
};

/// The accelerators with measured kernels, by name.
std::span<const KernelSheet> kernelSheets();
/// The sheet of that name, else null.
const KernelSheet* kernelSheet(std::string_view name);

/// FLOP/s of a data type ("fp32", "tf32", "fp16", "bf16", "fp8", "int8"); that of the narrowest type that holds it
/// where the accelerator has no such units; 0 for an unknown type.
double peakOf(const KernelSheet& sheet, std::string_view dtype);
/// Bytes of an element of a data type; 0 for an unknown one.
double bytesOf(std::string_view dtype);

/// One kernel: its name and sizes are those of data/measured/README.md.
struct KernelRequest {
    std::string kernel = {};
    std::vector<double> shape = {};
    std::string dtype = {};
};

/// A measured kernel.
struct KernelRow {
    KernelRequest request;
    double seconds = 0;
    std::string source = {};  ///< who measured it; tables of several are never mixed
};

/// The rows of a table (columns kernel,shape,dtype,seconds; `# source: NAME` names the source of the rows below).
/// Throws DataError for a row that is none, FileError for a file that cannot be read.
std::vector<KernelRow> readKernels(const std::filesystem::path& file);

/// Where the seconds of a kernel come from, best first.
enum class KernelBasis : std::uint8_t {
    measured,     ///< interpolated between measured shapes, or one of them
    fitted,       ///< outside of them: the form alone, with parameters from this accelerator's rows
    transferred,  ///< no rows of this kernel and data type: parameters of other accelerators
};

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
    /// `rows` may be empty: then every kernel is transferred. Throws DataError for a row whose kernel, sizes, data type
    /// or seconds mean nothing.
    KernelModel(const KernelSheet& sheet, std::vector<KernelRow> rows);
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
