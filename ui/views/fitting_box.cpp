#include "ui/views/fitting_box.h"

#include <QStyleOptionComboBox>
#include <QStylePainter>

namespace tessera::ui {

FittingBox::FittingBox(QWidget* parent, Qt::TextElideMode where) : QComboBox(parent), where_(where) {}

void FittingBox::paintEvent(QPaintEvent* /*event*/) {
    QStylePainter painter(this);
    QStyleOptionComboBox option;
    initStyleOption(&option);
    painter.drawComplexControl(QStyle::CC_ComboBox, option);
    const int room = style()->subControlRect(QStyle::CC_ComboBox, &option, QStyle::SC_ComboBoxEditField, this).width();
    option.currentText = option.fontMetrics.elidedText(option.currentText, where_, room - kBeside);
    painter.drawControl(QStyle::CE_ComboBoxLabel, option);
}

}  // namespace tessera::ui
