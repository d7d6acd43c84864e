#include <charconv>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/text.h"
#include "core/study/calibrate/study.h"
#include "core/study/document_schema.h"
#include "core/study/members.h"

namespace tessera::study {

namespace {

constexpr std::size_t kMaxKernels = 1'000'000;
constexpr std::size_t kLongestPath = 4096;
constexpr std::size_t kMaxAxes = 16;

constexpr DocumentKind kKind{
    .schema = "tessera.calibration/1",
    .command = "calibrate",
    .about =
        "What the calibration of this machine measured; the accelerator's file and its table of kernels hold the "
        "same for prediction."};
constexpr std::string_view kShape = R"({"pattern": "^[0-9]+(x[0-9]+)*$"})";
constexpr std::string_view kCorrelation = R"({"minimum": -1.000001, "maximum": 1.000001})";
constexpr std::string_view kAccelerator = R"({"$ref": "accelerator.schema.json"})";

/// That a text can stand in a line of a file.
constexpr auto kLine = [](auto& doc, const Key& key, auto& text) {
    doc(key, text);
    doc.require(text.find_first_of("\r\n") == std::string::npos, key.name, "a text without line breaks");
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
    doc.derived({"shape", "", kShape}, [&] { return calibrate::shapeText(kernel.request.sizes); });
    kCell(doc, "dtype", kernel.request.dtype);
    calibrate::Timing mean;
    if constexpr (kWrites<decltype(doc)>) mean = {.seconds = kernel.seconds(), .spread = kernel.spread()};
    doc({"time_s", "The mean of the passes' medians."}, mean.seconds, kPositive);
    doc({"spread", "Half of the range between the quartiles, as a share of the median."}, mean.spread, kNotNegative);
    if constexpr (kReads<decltype(doc)>) {
        kernel.request.sizes = sizesAt(doc.at("shape"));
        kernel.passes = {mean};
    }
};

constexpr auto kAgreement = [](auto& doc, auto& agreement) {
    doc({"kernels", "That both passes measured."}, agreement.compared);
    doc({"median_difference", "Median of the relative differences between the passes."}, agreement.difference,
        kNotNegative);
    doc({"rank_correlation", "Spearman's, of the passes' times.", kCorrelation}, agreement.rank);
    kLine(doc, {"sentence", "The same for people."}, agreement.sentence);
};

constexpr auto kDocument = [](auto& doc, auto& outcome, auto& result) {
    auto& made = outcome.made;
    if constexpr (kDescribes<decltype(doc)>) outcome.files.emplace();
    doc.derived(kParametersKey, *result.study.parameters);
    if constexpr (kReads<decltype(doc)>) {
        if (doc.has("accelerator"))
            outcome.files = {.accelerator = doc.at("accelerator").text(kLongestPath),
                             .kernels = doc.at("kernels").text(kLongestPath)};
    } else if (doc.where(outcome.files.has_value())) {
        doc({"accelerator", "The accelerator's file, where the command wrote one."},
            outcome.files->accelerator.string());
        doc({"kernels", "The table of kernels, where the command wrote one."}, outcome.files->kernels.string());
    }
    kLine(doc, {"measured_by", "Date, processor, version of oneDNN and threads: the source of every number."},
          made.measuredBy);
    doc({"time_s", "How long the calibration took."}, made.seconds, kNotNegative);
    doc({"noisy", "Two passes did not agree: the times are not to be relied on."}, made.agreement.noisy);
    doc.object("agreement", made.agreement, kAgreement);
    doc({"repetitions", "Runs of kernels that were timed."}, made.kernels.repetitions);
    doc({"outliers", "Repetitions that were left out."}, made.kernels.dropped);
    doc({"not_known", "Kernels that were asked for and that there is no benchmark for."}, outcome.unknown);
    doc({"not_reached", "Kernels that the time did not allow."}, outcome.outOfTime);
    doc.list("rows", made.kernels.measured, kKernel, kMaxKernels);
    doc.derived({"device", "", kAccelerator}, [&] { return hardware::toJson(made.accelerator); });
    if constexpr (kReads<decltype(doc)>) made.accelerator = hardware::readAccelerator(doc.at("device"));
};

}  // namespace

void writeCalibrationJson(const Result& result, const TextSink& write) {
    writeDocument<CalibrationOutcome>(result, write, kKind, kDocument);
}

Result readCalibrationResult(const JsonNode& document, const Study& study) {
    return readDocument<CalibrationOutcome>(document, study, kKind, kDocument);
}

Json calibrationSchema() {
    return documentSchema<CalibrationOutcome>(kKind, kDocument);
}

}  // namespace tessera::study
