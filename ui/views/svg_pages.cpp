#include "ui/views/svg_pages.h"

#include <QBuffer>
#include <QPageSize>
#include <QPainter>
#include <QPdfWriter>
#include <QSvgRenderer>

#include "core/base/error.h"
#include "core/draw/drawing.h"
#include "core/draw/raster.h"
#include "ui/models/text.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

/// Loads what Qt can draw of a picture. Throws FileError.
void load(QSvgRenderer& renderer, const std::string& svg) {
    if (!renderer.load(QByteArray::fromStdString(report::withoutNesting(svg))) || renderer.viewBoxF().isEmpty())
        throw FileError("the picture cannot be drawn; expected an SVG with its size");
}

}  // namespace

QImage imageByQt(const std::string& svg, double scale) {
    QSvgRenderer renderer;
    load(renderer, svg);
    QImage image((renderer.viewBoxF().size() * scale).toSize(), QImage::Format_ARGB32_Premultiplied);
    image.fill(QColor(toQt(report::Theme(report::ThemeKind::light)("surface"))));
    QPainter painter(&image);
    painter.setRenderHint(QPainter::Antialiasing);
    renderer.render(&painter);
    return image;
}

std::string pngByQt(const std::string& svg, double scale) {
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    if (!imageByQt(svg, scale).save(&buffer, "PNG")) throw FileError("the picture cannot be written as PNG");
    return bytes.toStdString();
}

std::string pdfByQt(const std::vector<std::string>& pages) {
    constexpr double kPointsPerPixel = 72.0 / 96;
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    QPdfWriter writer(&buffer);
    writer.setPageMargins(QMarginsF());
    QPainter painter;
    for (const std::string& page : pages) {
        QSvgRenderer renderer;
        load(renderer, page);
        writer.setPageSize(QPageSize(renderer.viewBoxF().size() * kPointsPerPixel, QPageSize::Point, QString(),
                                     QPageSize::ExactMatch));
        if (painter.isActive())
            writer.newPage();
        else
            painter.begin(&writer);
        renderer.render(&painter, QRectF(0, 0, writer.width(), writer.height()));
    }
    painter.end();
    return bytes.toStdString();
}

std::string pngOf(const std::string& svg, double scale) {
    return report::whyNoHatches().empty() ? report::toPng(svg, scale) : pngByQt(svg, scale);
}

std::string pdfOf(const std::vector<std::string>& pages) {
    return report::whyNoHatches().empty() ? report::toPdf(pages) : pdfByQt(pages);
}

}  // namespace tessera::ui
