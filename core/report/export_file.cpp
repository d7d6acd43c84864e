#include "core/report/export_file.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/draw/raster.h"

namespace tessera::report {

void refuseSuffix(std::string_view what, std::string_view suffix, std::string_view known) {
    throw UsageError(fmt::format("a {} cannot be written as {}; expected {}", what,
                                 suffix.empty() ? "a file without a suffix" : inQuotes(suffix), known));
}

Theme themeNamed(std::string_view option, const std::string& name) {
    if (name == "light") return Theme(ThemeKind::light);
    if (name == "dark") return Theme(ThemeKind::dark);
    throw UsageError(fmt::format("{} is {}; expected light or dark", option, inQuotes(name)));
}

std::string pictureFile(const Picture& picture, std::string_view what, const std::string& suffix, const Theme& theme,
                        double scale, const std::stop_token& stop) {
    if (suffix == ".svg") return toSvg(picture, theme);
    if (suffix == ".csv") return toCsv(picture);
    if (suffix == ".pdf") return toPdf(toSvg(picture, theme), stop);
    if (suffix == ".png") return toPng(toSvg(picture, theme), scale, stop);
    refuseSuffix(what, suffix, ".svg, .png, .pdf or .csv");
}

std::string reportFile(const std::string& title, const std::vector<ReportRun>& runs, const std::string& suffix,
                       const ReportOptions& options, const std::stop_token& stop) {
    if (suffix == ".html" || suffix == ".htm") return htmlReport(title, runs, options);
    if (suffix == ".md") return markdownReport(title, runs, options);
    if (suffix == ".pdf") return pdfReport(title, runs, options, stop);
    refuseSuffix("report", suffix, ".html, .pdf or .md");
}

}  // namespace tessera::report
