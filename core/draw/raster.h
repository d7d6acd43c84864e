#pragma once

#include <stop_token>
#include <string>
#include <vector>

/// SVG to PNG and PDF, by the first of these programs that is installed, in a child process: `rsvg-convert`, which
/// draws all that an SVG has; `tessera-studio` beside this program or on PATH, which opens no window for it and leaves
/// hatches out. Drawings must not use CSS variables (use a light or dark Theme).
namespace tessera::report {

/// Why `rsvg-convert` draws nothing here, a sentence that names its package; empty where it is installed.
std::string whyNoHatches();

/// A picture as PNG or PDF; a PDF is paper and has the hatches of print. `scale` multiplies the drawing's own size.
/// Throws FileError with a way on where there is no program for it or it cannot read the drawing, UsageError where
/// `scale` is not within 0.1 to 16, InterruptedError on a stop request.
std::string toPng(const std::string& svg, double scale, const std::stop_token& stop = {});
std::string toPdf(const std::string& svg, const std::stop_token& stop = {});
/// The same of several pictures as the pages of one PDF.
std::string toPdf(const std::vector<std::string>& pages, const std::stop_token& stop = {});

}  // namespace tessera::report
