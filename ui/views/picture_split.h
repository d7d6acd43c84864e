#pragma once

#include <QSplitter>

namespace tessera::ui {

/// So much height, in pixels, belongs to the picture of a page wherever the page is high enough.
constexpr int kPictureHeight = 360;

/// A picture above the table or the details that go with it. The picture comes first: it gets at least
/// `kPictureHeight` before the rest gets more than its least, until somebody moves the bar between.
class PictureSplit : public QSplitter {
    Q_OBJECT

public:
    /// `share` is the picture's part of a height that is enough for both; `around` the height that the upper widget
    /// needs beside its picture, for a switch or a bar.
    PictureSplit(QWidget* picture, QWidget* details, double share = 0.6, int around = 0, QWidget* parent = nullptr);

protected:
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    void shareHeight();

    double share_;
    int around_;
    bool shared_ = false;  ///< somebody said how
};

}  // namespace tessera::ui
