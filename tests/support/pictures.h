#pragma once

#include <QCoreApplication>
#include <QDir>
#include <QImage>
#include <QPainter>
#include <QPixmap>
#include <QSet>
#include <QString>
#include <QWidget>
#include <functional>

#include "tests/support/paths.h"
#include "tests/support/wait.h"

namespace tessera::test {

/// Where tests leave pictures for a person to look at.
inline QString picturesFolder() {
    const QString folder = QString::fromStdString((buildDirectory() / "pictures").string());
    QDir().mkpath(folder);
    return folder;
}

/// Renders a widget at a scale, as a screen of that density would show it.
inline QImage pictureOf(QWidget& widget, double scale = 1.0) {
    widget.ensurePolished();
    QImage image(widget.size() * scale, QImage::Format_ARGB32_Premultiplied);
    image.setDevicePixelRatio(scale);
    image.fill(Qt::transparent);
    widget.render(&image);
    return image;
}

/// Of 100: compresses little, since it is the time to compress that counts.
constexpr int kQuickly = 85;

/// Saves `NAME.png` (1×) and `NAME@2x.png` into the pictures folder and returns the 1× picture.
inline QImage savePicture(QWidget& widget, const QString& name) {
    const QImage image = pictureOf(widget);
    image.save(picturesFolder() + QLatin1Char('/') + name + QStringLiteral(".png"), nullptr, kQuickly);
    pictureOf(widget, 2.0)
        .save(picturesFolder() + QLatin1Char('/') + name + QStringLiteral("@2x.png"), nullptr, kQuickly);
    return image;
}

/// Saves `NAME.png` as the screen shows the widget, in a folder that is named by its size and the screen's density
/// ("1280x800", "1280x800@2x"), and returns the picture.
inline QImage saveAsOnScreen(QWidget& widget, const QString& name) {
    const double density = widget.devicePixelRatioF();
    QString folder = QStringLiteral("%1/%2x%3").arg(picturesFolder()).arg(widget.width()).arg(widget.height());
    if (density != 1) folder += QStringLiteral("@%1x").arg(density);
    QDir().mkpath(folder);
    QImage image = pictureOf(widget, density);
    image.save(folder + QLatin1Char('/') + name + QStringLiteral(".png"), nullptr, kQuickly);
    return image;
}

/// How many different colours a picture has: a blank one has 1.
inline int coloursIn(const QImage& image) {
    QSet<QRgb> colours;
    for (int y = 0; y < image.height(); y += 2)
        for (int x = 0; x < image.width(); x += 2) colours.insert(image.pixel(x, y));
    return static_cast<int>(colours.size());
}

}  // namespace tessera::test
