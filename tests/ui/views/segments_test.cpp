#include <gtest/gtest.h>

#include <QImage>
#include <QPainter>
#include <QPicture>
#include <QTransform>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <span>
#include <vector>

#include "core/base/random.h"
#include "ui/views/plot/drawing_painter.h"

/// Lines by the thousand, which Qt is too slow for: they look as Qt paints them.
namespace tessera::ui {
namespace {

std::vector<report::Shape> linesInAllDirections() {
    RandomStream random(5);
    std::vector<report::Shape> shapes;
    for (const double width : {1.0, 1.5, 3.0}) {
        report::Segments lines{.stroke = width < 3 ? "accent" : "text", .width = width, .opacity = width / 4};
        for (int i = 0; i < 60; ++i) {
            lines.points.push_back({20 + 180 * random.uniform(), 20 + 180 * random.uniform()});
            lines.points.push_back({20 + 180 * random.uniform(), 20 + 180 * random.uniform()});
        }
        for (const report::Point to : {report::Point{200, 100.5}, {100.5, 20}, {190, 190.5}}) {
            lines.points.push_back({100.5, 100.5});
            lines.points.push_back(to);
        }
        shapes.emplace_back(std::move(lines));
    }
    return shapes;
}

/// All at once, or each for itself.
QImage painted(const std::vector<report::Shape>& shapes, const QTransform& where, double scale, bool together) {
    QImage image(QSize(220, 220) * scale, QImage::Format_ARGB32_Premultiplied);
    image.setDevicePixelRatio(scale);
    image.fill(Qt::white);
    QPainter painter(&image);
    painter.setTransform(where);
    if (together)
        paintShapes(painter, shapes);
    else
        for (const report::Shape& shape : shapes) paintShapes(painter, std::span(&shape, 1));
    return image;
}

TEST(Segments, areAsQtPaintsThem) {
    const std::vector<report::Shape> shapes = linesInAllDirections();
    for (const double scale : {1.0, 2.0})
        for (const QTransform& where : {QTransform(), QTransform::fromTranslate(-7.25, 3.5)}) {
            const QImage one = painted(shapes, where, scale, true), other = painted(shapes, where, scale, false);
            ASSERT_NE(one, other) << "not by the same way";
            double sum = 0, far = 0;
            for (int y = 0; y < one.height(); ++y)
                for (int x = 0; x < one.width(); ++x) {
                    const QRgb a = one.pixel(x, y), b = other.pixel(x, y);
                    const int by = std::max(
                        {std::abs(qRed(a) - qRed(b)), std::abs(qGreen(a) - qGreen(b)), std::abs(qBlue(a) - qBlue(b))});
                    sum += by;
                    far += by > 40 ? 1 : 0;
                }
            const double dots = one.width() * one.height();
            EXPECT_LT(sum / dots, 2.5) << "of 255, at " << scale;
            EXPECT_LT(far / dots, 0.01) << "but for ends, at " << scale;
        }
}

TEST(Segments, arePaintedWhereThereAreNoDots) {
    const std::vector<report::Shape> shapes = linesInAllDirections();
    QPicture kept;
    QPainter painter(&kept);
    paintShapes(painter, shapes);
    painter.end();
    EXPECT_EQ(kept.boundingRect().intersected({0, 0, 220, 220}), kept.boundingRect());
    EXPECT_GT(kept.boundingRect().width(), 150);
    // Turned, they are Qt's matter as well.
    EXPECT_EQ(painted(shapes, QTransform().rotate(3), 1, true), painted(shapes, QTransform().rotate(3), 1, false));
}

}  // namespace
}  // namespace tessera::ui
