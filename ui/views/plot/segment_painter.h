#pragma once

#include <QColor>
#include <QImage>
#include <QTransform>

#include "core/draw/drawing.h"

namespace tessera::ui {

/// Paints straight lines with flat ends, smoothed, over what an image in Format_ARGB32_Premultiplied has. `toDots`
/// brings their places to the image's dots by a scale, equal in both directions, and a shift. For lines by the
/// thousand, as parallel axes bundle them: Qt hands each single one to its pool of threads, which takes ten times as
/// long as the line.
void paintSegments(QImage& image, const report::Segments& segments, const QColor& colour, const QTransform& toDots);

}  // namespace tessera::ui
