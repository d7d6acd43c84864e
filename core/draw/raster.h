#pragma once

#include <stop_token>
#include <string>

namespace tessera::report {

/// SVG to PNG or PDF by `rsvg-convert` in a child process; a PDF is paper and has the hatches of print. `scale`
/// multiplies the drawing's own size. The drawing must not use CSS variables (use a light or dark Theme). Throws
/// FileError with a way on where `rsvg-convert` is missing or cannot read the drawing, UsageError where `scale` is not
/// within 0.1 to 16, InterruptedError on a stop request.
std::string toPng(const std::string& svg, double scale, const std::stop_token& stop = {});
std::string toPdf(const std::string& svg, const std::stop_token& stop = {});

}  // namespace tessera::report
