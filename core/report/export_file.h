#pragma once

#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/report/catalogue.h"
#include "core/report/report_document.h"

/// Pictures and reports as files, whose suffix says the format.
namespace tessera::report {

/// Throws UsageError where a thing ("table") cannot be written with such a suffix, naming those that are known.
[[noreturn]] void refuseSuffix(std::string_view what, std::string_view suffix, std::string_view known);

/// The theme that a user names. Throws UsageError, naming the option that it stands at.
Theme themeNamed(std::string_view option, const std::string& name);

/// Bytes of a picture as .svg, .png, .pdf or .csv; `scale` of a PNG. Throws UsageError for another suffix and for a
/// drawing as .csv, and what toPng throws.
std::string pictureFile(const Picture& picture, std::string_view what, const std::string& suffix, const Theme& theme,
                        double scale, const std::stop_token& stop = {});

/// Bytes of a report as .html, .pdf or .md. Throws UsageError for another suffix, and what pdfReport throws.
std::string reportFile(const std::string& title, const std::vector<ReportRun>& runs, const std::string& suffix,
                       const ReportOptions& options, const std::stop_token& stop = {});

}  // namespace tessera::report
