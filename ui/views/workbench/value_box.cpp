#include "ui/views/workbench/value_box.h"

#include <utility>

#include "ui/models/text.h"

namespace tessera::ui {

namespace {

constexpr int kLetters = 11;
constexpr int kColumnRole = Qt::UserRole + 1;

}  // namespace

ValueBox::ValueBox(const QString& name, const QString& none, QWidget* parent) : QComboBox(parent), none_(none) {
    setAccessibleName(name);
    setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    setMinimumContentsLength(kLetters);
    connect(this, &QComboBox::activated, this, &ValueBox::chosen);
}

void ValueBox::fill(const explore::PointTable& points,
                    const std::function<bool(const explore::PointColumn& column)>& wanted) {
    const QString before = id();
    clear();
    if (!none_.isEmpty()) addItem(none_, QString());
    for (std::size_t i = 0; i < points.columns.size(); ++i) {
        const explore::PointColumn& column = points.columns[i];
        if (wanted && !wanted(column)) continue;
        addItem(toQt(column.title), toQt(column.id));
        setItemData(count() - 1, QVariant::fromValue(static_cast<qulonglong>(i)), kColumnRole);
        setItemData(count() - 1, toQt(column.help).toHtmlEscaped(), Qt::ToolTipRole);
    }
    if (const int at = findData(before); at >= 0) setCurrentIndex(at);
}

std::optional<std::size_t> ValueBox::column() const {
    const QVariant column = currentData(kColumnRole);
    return column.isValid() ? std::optional(static_cast<std::size_t>(column.toULongLong())) : std::nullopt;
}

void ValueBox::setColumn(std::optional<std::size_t> column) {
    for (int i = 0; i < count(); ++i) {
        const QVariant its = itemData(i, kColumnRole);
        if (column ? its.isValid() && its.toULongLong() == *column : !its.isValid()) return setCurrentIndex(i);
    }
}

}  // namespace tessera::ui
