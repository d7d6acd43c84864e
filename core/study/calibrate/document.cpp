#include <charconv>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/text.h"
#include "core/study/calibrate/study.h"
#include "core/study/document_study.h"

namespace tessera::study {

namespace {

constexpr std::size_t kMaxKernels = 1'000'000;
constexpr std::size_t kLongestName = 4096;
constexpr std::size_t kMaxAxes = 16;
constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

/// A text that can stand in a line of a file.
std::string lineAt(const JsonNode& node) {
    std::string text = node.text(kLongestName);
    if (text.find_first_of("\r\n") != std::string::npos) node.fail("a text without line breaks");
    return text;
}

/// A word that can stand in a cell of a table of kernels.
std::string wordAt(const JsonNode& node) {
    std::string word = node.text();
    if (word.empty() || word.find_first_of(",#\" \t\r\n") != std::string::npos)
        node.fail("a word without blanks, commas, '#' and quotes");
    return word;
}

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

std::size_t countAt(const JsonNode& document, const char* key) {
    return static_cast<std::size_t>(document.at(key).whole(0, kMax));
}

calibrate::Measured readKernel(const JsonNode& node) {
    return {.request = {.kernel = wordAt(node.at("kernel")),
                        .dtype = wordAt(node.at("dtype")),
                        .sizes = sizesAt(node.at("shape"))},
            .passes = {{.seconds = node.at("time_s").positive(), .spread = node.at("spread").notNegative()}}};
}

}  // namespace

void writeCalibrationJson(const Result& result, const TextSink& write) {
    const auto& outcome = result.outcome.get<CalibrationOutcome>();
    const calibrate::Calibration& made = outcome.made;
    Json json = resultHead("tessera.calibration/1", "calibrate", result);
    if (outcome.files) {
        json["accelerator"] = outcome.files->accelerator.string();
        json["kernels"] = outcome.files->kernels.string();
    }
    json["measured_by"] = made.measuredBy;
    json["time_s"] = made.seconds;
    json["noisy"] = made.agreement.noisy;
    json["agreement"] = {{"kernels", made.agreement.compared},
                         {"median_difference", made.agreement.difference},
                         {"rank_correlation", made.agreement.rank},
                         {"sentence", made.agreement.sentence}};
    json["repetitions"] = made.kernels.repetitions;
    json["outliers"] = made.kernels.dropped;
    json["not_known"] = outcome.unknown;
    json["not_reached"] = outcome.outOfTime;
    Json& rows = json["rows"] = Json::array();
    for (const calibrate::Measured& one : made.kernels.measured)
        rows.push_back({{"kernel", one.request.kernel},
                        {"shape", calibrate::shapeText(one.request.sizes)},
                        {"dtype", one.request.dtype},
                        {"time_s", one.seconds()},
                        {"spread", one.spread()}});
    json["device"] = hardware::toJson(made.accelerator);
    finishDocument(json, result.assumptions, result.warnings);
    write(toText(json));
}

Result readCalibrationResult(const JsonNode& document, const Study& study) {
    Result result = readFrame(document, study);
    CalibrationOutcome outcome;
    calibrate::Calibration& made = outcome.made;
    if (document.has("accelerator"))
        outcome.files = {.accelerator = document.at("accelerator").text(kLongestName),
                         .kernels = document.at("kernels").text(kLongestName)};
    made.measuredBy = lineAt(document.at("measured_by"));
    made.seconds = document.at("time_s").notNegative();
    const JsonNode agreement = document.at("agreement");
    made.agreement = {.compared = countAt(agreement, "kernels"),
                      .difference = agreement.at("median_difference").notNegative(),
                      .rank = agreement.at("rank_correlation").number(),
                      .noisy = document.at("noisy").boolean(),
                      .sentence = lineAt(agreement.at("sentence"))};
    made.kernels.repetitions = countAt(document, "repetitions");
    made.kernels.dropped = countAt(document, "outliers");
    outcome.unknown = countAt(document, "not_known");
    outcome.outOfTime = countAt(document, "not_reached");
    for (const JsonNode& node : document.at("rows").elements(kMaxKernels))
        made.kernels.measured.push_back(readKernel(node));
    made.accelerator = hardware::readAccelerator(document.at("device"));
    result.outcome = std::move(outcome);
    return result;
}

}  // namespace tessera::study
