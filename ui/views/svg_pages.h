#pragma once

#include <QImage>
#include <string>
#include <vector>

/// SVG drawn by Qt, in this process: without hatches, which Qt's reader of SVG does not know.
namespace tessera::ui {

/// On the white of paper; `scale` multiplies the picture's own size.
QImage imageByQt(const std::string& svg, double scale);
/// The same as a PNG file.
std::string pngByQt(const std::string& svg, double scale);
/// Pictures as the pages of one PDF, each as large as its picture.
std::string pdfByQt(const std::vector<std::string>& pages);

/// A picture as PNG or PDF by `rsvg-convert` where that is installed (core/draw/raster.h), else by Qt. Throws FileError
/// where it cannot be drawn.
std::string pngOf(const std::string& svg, double scale);
std::string pdfOf(const std::vector<std::string>& pages);

}  // namespace tessera::ui
