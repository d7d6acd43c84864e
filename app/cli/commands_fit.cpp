#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/cli/command.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/draw/table.h"
#include "core/hardware/accelerator.h"
#include "core/study/kernel_fitting.h"

namespace tessera::cli {

namespace {

/// A line for each family and data type.
std::string fittedFamiliesText(const study::KernelFitReport& report) {
    report::Table table{.columns = {{"family"},
                                    {"data type"},
                                    {"rows", true},
                                    {"median error", true},
                                    {"90 % within", true},
                                    {"class"},
                                    {"sources"}},
                        .rows = {}};
    for (const physical::KernelFitting& fitting : report.fittings.fits)
        table.rows.push_back({std::string(hardware::kKernelFamilyNames.of(fitting.form.family)),
                              escaped(fitting.form.dtype), formatCount(fitting.rows),
                              fmt::format("{:.1f} %", fitting.medianError * 100),
                              fmt::format("x {:.3g}", std::exp(fitting.form.spread)),
                              std::string(hardware::kFitClassNames.of(hardware::FitClass::fitted)),
                              escaped(joined(fitting.sources, ", "))});
    return report::toText(table);
}

/// A line for each parameter.
std::string fittedParametersText(const study::KernelFitReport& report) {
    report::Table table{
        .columns = {{"family"}, {"data type"}, {"parameter"}, {"value", true}, {"unit"}, {"what it is"}}, .rows = {}};
    for (const physical::KernelFitting& fitting : report.fittings.fits) {
        const auto values = physical::parametersOf(fitting.form);
        for (const hardware::KernelParameter& parameter : hardware::kernelParameters(fitting.form.family))
            table.rows.push_back(
                {std::string(hardware::kKernelFamilyNames.of(fitting.form.family)), escaped(fitting.form.dtype),
                 std::string(parameter.key), fmt::format("{:.4g}", values.at(std::string(parameter.key))),
                 parameter.unit.empty() ? "–" : std::string(parameter.unit), std::string(parameter.about)});
    }
    return "\nParameters\n" + report::toText(table);
}

std::string kernelFitText(const study::KernelFitReport& report) {
    std::size_t rows = 0;
    for (const physical::KernelFitting& fitting : report.fittings.fits) rows += fitting.rows;
    std::string text = fmt::format("{} of {}\n\n", formatCounted(rows, "measured kernel", "measured kernels"),
                                   escaped(report.accelerator.name)) +
                       fittedFamiliesText(report) + fittedParametersText(report);
    if (!report.warnings.empty()) text += "\nLeft out\n";
    for (const std::string& sentence : report.warnings) text += "- " + sentence + "\n";
    text += "\nAssumptions\n";
    for (const std::string& sentence : report.assumptions) text += "- " + sentence + "\n";
    return text;
}

/// The accelerator as a file elsewhere says it: the path of its table of kernels is relative to it.
hardware::Accelerator acceleratorFor(hardware::Accelerator accelerator, const std::string& file) {
    namespace fs = std::filesystem;
    if (!accelerator.kernels || file == "-" || fs::path(*accelerator.kernels).is_absolute()) return accelerator;
    const fs::path table = fs::absolute(accelerator.file).parent_path() / *accelerator.kernels;
    accelerator.kernels =
        table.lexically_normal().lexically_relative(fs::absolute(file).lexically_normal().parent_path()).string();
    return accelerator;
}

}  // namespace

Action addFit(CLI::App& app) {
    struct Options {
        std::vector<std::string> kernels;
        std::string accelerator, out;
    };
    const auto options = std::make_shared<Options>();
    addTexts(
        app, "--kernels", options->kernels, "FILE",
        "measured kernels: a table of kernel, shape, dtype and seconds, or what aiconfigurator, NeuSight, DeepBench "
        "or the profiler of PyTorch write; or the bundled ones of an accelerator; may be repeated")
        ->required();
    addInput(app, "--accelerator", options->accelerator, "ACCELERATOR",
             "whose kernels they are: a file or a bundled name")
        ->required();
    addOut(app, options->out, "writes the accelerator's description with the fits");
    return [options](Context& context) {
        const study::KernelFitReport report =
            study::fitMeasuredKernels(options->kernels, options->accelerator, context.control());
        context.console.endProgress();
        const bool toStream = options->out == "-";
        if (context.common.json && !toStream) context.console.printJson(study::toJson(report));
        if (!context.common.json && !toStream) context.console.print(kernelFitText(report));
        if (!options->out.empty())
            writeOut(context, options->out, toText(hardware::toJson(acceleratorFor(report.accelerator, options->out))),
                     fmt::format("\n{}: the accelerator with its fits\n", escaped(options->out)));
    };
}

}  // namespace tessera::cli
