#include <fmt/format.h>

#include "core/base/json.h"
#include "core/base/text.h"
#include "core/report/calibration_pictures.h"
#include "core/report/catalogues.h"
#include "core/report/hardware_pictures.h"

namespace tessera::report {

namespace {

using study::CalibrationOutcome;

const CalibrationOutcome& calibrationOf(const View& view) {
    return view.result.outcome.get<CalibrationOutcome>();
}

std::vector<PictureRow> calibrationPictures() {
    return {
        {{"bandwidths", "Bandwidths", "Bandwidths of memory and all-reduce", Scope::result, kEverywhere},
         from(bandwidthChart)},
        {{"peaks", "Peak rates", "Peak rates by data type", Scope::result, kEverywhere}, from(peakChart)},
        {{"kernels", "Kernels", "Times of kernels by the size of their shapes, with their spread", Scope::result,
          kEverywhere},
         from(kernelTimeChart)},
        {{"kernel-rates", "Rates of kernels", "Rates of products and convolutions below the peak", Scope::result,
          kEverywhere},
         from(kernelRateChart)},
        {{"spread", "Spread", "How much the times of every kernel spread", Scope::result, kEverywhere},
         from(spreadChart)},
        {{"roofline", "Roofline", "What rates and bandwidths allow", Scope::result, kWindow},
         [](const View& view) { return roofline(calibrationOf(view).made.accelerator, "fp32"); }},
    };
}

std::vector<TableRow> calibrationTables() {
    return {
        {{"rates", "Rates", "Peak rates, bandwidths and all-reduce", Scope::result, kEverywhere},
         [](const View& view) { return rateTable(calibrationOf(view), study::kText); },
         [](const View& view) { return rateTable(calibrationOf(view), study::kExactTable); }},
        {{"spread", "Spread of kernels", "How much the times of every kernel spread", Scope::result, kEverywhere},
         from(spreadTable)},
        {{"kernels", "Kernels", "One row per kernel and shape", Scope::result, kEverywhere},
         [](const View& view) { return kernelTable(calibrationOf(view), study::kText); },
         [](const View& view) { return kernelTable(calibrationOf(view), study::kExactTable); }},
        metricsRow(),
    };
}

std::vector<std::pair<std::filesystem::path, std::string>> files(const View& view, const std::filesystem::path& out) {
    return calibrate::contents(calibrationOf(view).made, calibrate::filesAt(out));
}

std::string calibrationText(const study::Result& result) {
    const auto& outcome = result.outcome.get<CalibrationOutcome>();
    std::string text = study::calibrationHeadline(outcome) + "\n\n" + toText(rateTable(outcome, study::kText)) + "\n";
    for (const std::string& sentence : calibrationSentences(outcome)) text += escaped(sentence, 1024) + "\n";
    for (const std::string& warning : result.warnings)
        if (warning != outcome.made.agreement.sentence) text += escaped(warning, 1024) + "\n";
    if (!outcome.files)
        text += "\n'tessera export RUN --what file --out FILE.json' writes the accelerator and its kernels.\n";
    else
        text += fmt::format("\nwritten to {}\nkernels in {}\n", escaped(outcome.files->accelerator.string(), 4096),
                            escaped(outcome.files->kernels.string(), 4096));
    return text;
}

}  // namespace

Catalogue calibrationCatalogue() {
    return {
        .engine = "calibrate",
        .pictures = calibrationPictures(),
        .tables = calibrationTables(),
        .firstTable = "rates",
        .preposition = "of",
        .subject = [](const study::Result&) { return std::string("this-machine"); },
        .choices = [](const study::Result&) { return std::vector<std::string>(); },
        .sentences =
            [](const study::Result& result) { return calibrationSentences(result.outcome.get<CalibrationOutcome>()); },
        .text = calibrationText,
        .files = {{{"accelerator", "Accelerator", "The accelerator's file, with its kernels beside it", Scope::result,
                    0},
                   ".json",
                   files,
                   "accelerator"}}};
}

}  // namespace tessera::report
