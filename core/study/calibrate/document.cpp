#include <charconv>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/text.h"
#include "core/study/calibrate/study.h"
#include "core/study/members.h"

namespace tessera::study {

namespace {

constexpr std::size_t kMaxKernels = 1'000'000;
constexpr std::size_t kLongestPath = 4096;
constexpr std::size_t kMaxAxes = 16;

constexpr DocumentKind kKind{"tessera.calibration/1", "calibrate"};

/// That a text can stand in a line of a file.
constexpr auto kLine = [](auto& doc, std::string_view key, auto& text) {
    doc(key, text);
    doc.require(text.find_first_of("\r\n") == std::string::npos, key, "a text without line breaks");
};

/// That a word can stand in a cell of a table of kernels.
constexpr auto kCell = [](auto& doc, std::string_view key, auto& word) {
    doc(key, word);
    doc.require(!word.empty() && word.find_first_of(",#\" \t\r\n") == std::string::npos, key,
                "a word without blanks, commas, '#' and quotes");
};

/// "64x56x56".
predict::KernelTable::Sizes sizesAt(const JsonNode& node) {
    constexpr std::int64_t kLargestSize = std::int64_t{1} << 53U;
    predict::KernelTable::Sizes sizes;
    const std::string shape = node.text();
    for (const std::string_view part : split(shape, 'x')) {
        std::int64_t size = 0;
        const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), size);
        if (error != std::errc{} || end != part.data() + part.size() || size < 0 || size > kLargestSize ||
            sizes.size() == kMaxAxes)
            node.fail("a shape, such as 64x56x56");
        sizes.push_back(static_cast<double>(size));
    }
    return sizes;
}

constexpr auto kKernel = [](auto& doc, auto& kernel) {
    kCell(doc, "kernel", kernel.request.kernel);
    doc.derived("shape", [&] { return calibrate::shapeText(kernel.request.sizes); });
    kCell(doc, "dtype", kernel.request.dtype);
    calibrate::Timing mean;
    if constexpr (!kReads<decltype(doc)>) mean = {.seconds = kernel.seconds(), .spread = kernel.spread()};
    doc("time_s", mean.seconds, kPositive);
    doc("spread", mean.spread, kNotNegative);
    if constexpr (kReads<decltype(doc)>) {
        kernel.request.sizes = sizesAt(doc.at("shape"));
        kernel.passes = {mean};
    }
};

constexpr auto kAgreement = [](auto& doc, auto& agreement) {
    doc("kernels", agreement.compared);
    doc("median_difference", agreement.difference, kNotNegative);
    doc("rank_correlation", agreement.rank);
    kLine(doc, "sentence", agreement.sentence);
};

constexpr auto kDocument = [](auto& doc, auto& outcome, auto& result) {
    auto& made = outcome.made;
    doc.derived("parameters", *result.study.parameters);
    if constexpr (kReads<decltype(doc)>) {
        if (doc.has("accelerator"))
            outcome.files = {.accelerator = doc.at("accelerator").text(kLongestPath),
                             .kernels = doc.at("kernels").text(kLongestPath)};
    } else if (outcome.files) {
        doc("accelerator", outcome.files->accelerator.string());
        doc("kernels", outcome.files->kernels.string());
    }
    kLine(doc, "measured_by", made.measuredBy);
    doc("time_s", made.seconds, kNotNegative);
    doc("noisy", made.agreement.noisy);
    doc.object("agreement", made.agreement, kAgreement);
    doc("repetitions", made.kernels.repetitions);
    doc("outliers", made.kernels.dropped);
    doc("not_known", outcome.unknown);
    doc("not_reached", outcome.outOfTime);
    doc.list("rows", made.kernels.measured, kKernel, kMaxKernels);
    doc.derived("device", [&] { return hardware::toJson(made.accelerator); });
    if constexpr (kReads<decltype(doc)>) made.accelerator = hardware::readAccelerator(doc.at("device"));
};

}  // namespace

void writeCalibrationJson(const Result& result, const TextSink& write) {
    writeDocument<CalibrationOutcome>(result, write, kKind, kDocument);
}

Result readCalibrationResult(const JsonNode& document, const Study& study) {
    return readDocument<CalibrationOutcome>(document, study, kKind, kDocument);
}

}  // namespace tessera::study
