#include "core/draw/raster.h"

#include <fmt/format.h>

#include <vector>

#include "core/base/error.h"
#include "core/base/process.h"
#include "core/draw/drawing.h"

namespace tessera::report {

namespace {

constexpr double kSmallestScale = 0.1;
constexpr double kLargestScale = 16;

std::string convert(std::vector<std::string> options, const std::string& svg, const std::stop_token& stop) {
    options.insert(options.begin(), "rsvg-convert");
    const ProcessResult result = runProcess(options, svg, {}, stop);
    if (result.exitCode != 0)
        throw FileError(fmt::format("rsvg-convert could not convert the picture: {}",
                                    result.errors.substr(0, result.errors.find('\n'))));
    return result.output;
}

}  // namespace

std::string toPng(const std::string& svg, double scale, const std::stop_token& stop) {
    if (!(scale >= kSmallestScale && scale <= kLargestScale))
        throw UsageError(
            fmt::format("a picture's scale is {}; expected {} to {}", scale, kSmallestScale, kLargestScale));
    return convert({"--format=png", fmt::format("--zoom={}", scale)}, svg, stop);
}

std::string toPdf(const std::string& svg, const std::stop_token& stop) {
    return convert({"--format=pdf"}, asPrinted(svg), stop);
}

}  // namespace tessera::report
