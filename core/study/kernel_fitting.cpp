#include "core/study/kernel_fitting.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/input_files.h"
#include "core/base/sha256.h"
#include "core/base/text.h"
#include "core/hardware/library.h"
#include "core/physical/readers/readers.h"

namespace tessera::study {

namespace fs = std::filesystem;

namespace {

/// The file of a table: as named, else that of the bundled kernels of an accelerator.
fs::path kernelFileOf(const std::string& name) {
    if (namesFile(name, physical::measurementSuffixes())) return name;
    for (const fs::path& data : hardware::dataFolders())
        if (const fs::path path = data / "measured" / "kernels" / (name + ".csv"); isFile(path)) return path;
    throw UsageError(fmt::format(
        "there is no file {}, and no measured kernels of an accelerator of that name are bundled", inQuotes(name)));
}

/// Adds the kernels of a table that are of the accelerator.
void addKernels(const physical::ReadMeasurements& read, const std::string& accelerator,
                std::vector<physical::KernelRow>& rows, std::size_t& others) {
    const physical::MeasuredTable& table = read.table;
    if (!table.has("kernel") || !table.has("shape") || !table.has("dtype") || !table.has("seconds"))
        throw DataError({.file = table.file, .where = "header"}, inQuotes(joined(table.columns, ",")),
                        "the columns kernel, shape, dtype and seconds");
    for (const physical::MeasuredRow& row : table.rows) {
        if (table.has("accelerator") && table.text(row, "accelerator") != accelerator) {
            ++others;
            continue;
        }
        physical::KernelRow kernel = physical::kernelRowOf(table, row);
        kernel.source = fs::path(table.file).filename().string();
        rows.push_back(std::move(kernel));
    }
}

/// Sets the fits of the accelerator, each in the place of one of the same family and data type.
void keepFits(hardware::Accelerator& accelerator, const std::vector<physical::KernelFitting>& fits) {
    for (const physical::KernelFitting& fitting : fits) {
        hardware::KernelFit fit = physical::kernelFitOf(fitting);
        const auto old = std::ranges::find_if(accelerator.kernelFits, [&](const hardware::KernelFit& each) {
            return each.family == fit.family && each.dtype == fit.dtype;
        });
        if (old == accelerator.kernelFits.end())
            accelerator.kernelFits.push_back(std::move(fit));
        else
            *old = std::move(fit);
    }
}

physical::Device fittedDeviceOf(const hardware::Accelerator& accelerator) {
    const physical::Device device = physical::deviceOf(accelerator);
    if (!(physical::peakOf(device, "fp32") > 0))
        throw DataError({.file = accelerator.file, .field = "peak_flops"}, "without a data type that kernels have",
                        "one of fp32, tf32, bf16, fp16, fp8 and int8");
    if (!(device.bandwidth > 0))
        throw DataError({.file = accelerator.file, .field = "memory"}, "without a bandwidth",
                        "bandwidth_bytes_per_s of a level");
    return device;
}

}  // namespace

KernelFitReport fitMeasuredKernels(const std::vector<std::string>& tables, const std::string& accelerator,
                                   const RunControl& control) {
    const InputScope scope;  // the accelerator is read twice
    KernelFitReport report;
    report.accelerator = hardware::loadAccelerator(accelerator);
    const physical::Device device = fittedDeviceOf(report.accelerator);
    std::vector<physical::KernelRow> rows;
    std::size_t others = 0;
    for (const std::string& name : tables) {
        control.reportProgress("reading measured kernels");
        const fs::path path = kernelFileOf(name);
        const std::string bytes = readFile(path, physical::kLargestMeasuredTable);
        report.inputs.push_back({name, sha256(bytes)});
        const physical::ReadMeasurements read = physical::readMeasurements(bytes, path.string());
        addKernels(read, report.accelerator.id, rows, others);
        if (std::string sentence = physical::skippedText(read); !sentence.empty())
            report.warnings.push_back(std::move(sentence));
    }
    report.inputs.push_back({accelerator, sha256(readFile(report.accelerator.file))});
    control.reportProgress("fitting kernels");
    report.fittings = physical::fitKernels(device, rows, control);
    const physical::KernelFittings& fittings = report.fittings;
    if (fittings.fits.empty())
        throw DataError({.file = tables.empty() ? "" : kernelFileOf(tables.front()).string()},
                        fmt::format("no kernel of {} that is known", inQuotes(accelerator)),
                        "rows of kernels as data/measured/README.md names them");
    if (fittings.skipped > 0)
        report.warnings.push_back(fmt::format("{} of {} rows are left out: {}{}.", fittings.skipped, rows.size(),
                                              fittings.firstSkipped, fittings.skipped > 1 ? ", and others" : ""));
    if (others > 0) report.warnings.push_back(fmt::format("{} rows of other accelerators are left out.", others));
    report.assumptions = {
        "A shape counts once, by the median of its rows; products are fitted to 2,000 shapes at most, spread evenly.",
        "Fewer shapes than twice the parameters scale the parameters of other accelerators by one factor.",
        "Errors are those of the rows that the parameters are fitted to; the spread allows for their number."};
    keepFits(report.accelerator, fittings.fits);
    return report;
}

Json toJson(const KernelFitReport& report) {
    Json json = documentHead("tessera.kernel-fit/1", "fit", report.inputs);
    json["accelerator"] = report.accelerator.id.empty() ? report.accelerator.name : report.accelerator.id;
    Json& fits = json["fits"] = Json::array();
    for (const physical::KernelFitting& fitting : report.fittings.fits) {
        const hardware::KernelFit fit = physical::kernelFitOf(fitting);
        Json parameters = Json::object();
        for (const hardware::KernelParameter& parameter : hardware::kernelParameters(fit.family))
            parameters[std::string(parameter.key)] = fit.parameters.at(std::string(parameter.key));
        fits.push_back({{"family", hardware::kKernelFamilyNames.of(fit.family)},
                        {"dtype", fit.dtype},
                        {"rows", fit.rows},
                        {"sources", fitting.sources},
                        {"median_error", fitting.medianError},
                        {"spread", fit.spread},
                        {"parameters", std::move(parameters)},
                        {"class", hardware::kFitClassNames.of(fit.reliability)}});
    }
    json["skipped_rows"] = report.fittings.skipped;
    finishDocument(json, report.assumptions, report.warnings);
    return json;
}

}  // namespace tessera::study
