#include "core/draw/raster.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <system_error>
#include <vector>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/process.h"
#include "core/draw/drawing.h"

namespace tessera::report {

namespace {

namespace fs = std::filesystem;

constexpr double kSmallestScale = 0.1;
constexpr double kLargestScale = 16;
constexpr const char* kPrinter = "rsvg-convert";
constexpr const char* kStudio = "tessera-studio";

/// The studio where it is installed with this program, else on PATH.
std::optional<fs::path> studio() {
    std::error_code error;
    const fs::path beside = fs::read_symlink("/proc/self/exe", error).parent_path() / kStudio;
    if (!error && isProgram(beside)) return beside;
    return programNamed(kStudio);
}

/// Pictures as one file of a format ("png", "pdf"). This is the one place that chooses the program.
std::string convert(const std::string& format, double scale, const std::vector<std::string>& pictures,
                    const std::stop_token& stop) {
    std::vector<std::string> command;
    const bool printed = programNamed(kPrinter).has_value();
    if (printed) {
        command = {kPrinter, "--format=" + format, fmt::format("--zoom={}", scale)};
    } else if (const auto found = studio()) {
        command = {found->string(), "--convert=" + format, fmt::format("--zoom={}", scale)};
    } else {
        throw FileError(whyNoHatches() + ", or tessera-studio, which makes PNG and PDF files without it");
    }
    const auto given = [&](const std::string& picture) {
        return printed && format == "pdf" ? asPrinted(picture) : picture;
    };
    const TemporaryFolder folder;
    for (std::size_t i = 0; pictures.size() > 1 && i < pictures.size(); ++i) {
        const fs::path file = folder.path() / fmt::format("{:05}.svg", i);
        writeFile(file, given(pictures[i]));
        command.push_back(file.string());
    }
    const ProcessResult result = runProcess(command, pictures.size() == 1 ? given(pictures[0]) : "", {}, stop);
    if (result.exitCode != 0)
        throw FileError(fmt::format("{} could not convert the picture: {}", printed ? kPrinter : kStudio,
                                    result.errors.substr(0, result.errors.find('\n'))));
    return result.output;
}

}  // namespace

std::string whyNoHatches() {
    return programNamed(kPrinter) ? "" : whyNotFound(kPrinter);
}

std::string toPng(const std::string& svg, double scale, const std::stop_token& stop) {
    if (!(scale >= kSmallestScale && scale <= kLargestScale))
        throw UsageError(
            fmt::format("a picture's scale is {}; expected {} to {}", scale, kSmallestScale, kLargestScale));
    return convert("png", scale, {svg}, stop);
}

std::string toPdf(const std::string& svg, const std::stop_token& stop) {
    return convert("pdf", 1, {svg}, stop);
}

std::string toPdf(const std::vector<std::string>& pages, const std::stop_token& stop) {
    return convert("pdf", 1, pages, stop);
}

}  // namespace tessera::report
