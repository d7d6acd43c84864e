#pragma once

#include <QComboBox>

namespace tessera::ui {

/// A list of which one entry is chosen, whose title ends in an ellipsis, or has one in its middle, where it has no
/// room; one of Qt's is cut off.
class FittingBox : public QComboBox {
public:
    /// In the middle by default, since names often differ at their ends.
    explicit FittingBox(QWidget* parent = nullptr, Qt::TextElideMode where = Qt::ElideMiddle);

protected:
    static constexpr int kBeside = 4;  ///< pixels free beside a title

    void paintEvent(QPaintEvent* event) override;

private:
    Qt::TextElideMode where_;
};

}  // namespace tessera::ui
