#include "ui/views/workbench/value_box.h"

#include <algorithm>
#include <utility>

#include "ui/models/text.h"

namespace tessera::ui {

namespace {

constexpr int kLetters = 6;
constexpr int kMostLetters = 16;
constexpr int kColumnRole = Qt::UserRole + 1;

}  // namespace

ValueBox::ValueBox(const QString& name, const QString& none, QWidget* parent)
    : FittingBox(parent, Qt::ElideRight), none_(none) {
    setAccessibleName(name);
    setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    setMinimumContentsLength(kLetters);
    connect(this, &QComboBox::activated, this, &ValueBox::chosen);
    connect(this, &QComboBox::currentTextChanged, this, [this] { updateGeometry(); });
}

QSize ValueBox::sizeHint() const {
    QSize size = QComboBox::sizeHint();
    const int letter = fontMetrics().horizontalAdvance(QLatin1Char('X'));
    const int wanted = fontMetrics().horizontalAdvance(currentText()) + 2 * kBeside;
    size.rwidth() += std::clamp(wanted - kLetters * letter, 0, (kMostLetters - kLetters) * letter);
    return size;
}

void ValueBox::fill(const explore::PointTable& points,
                    const std::function<bool(const explore::PointColumn& column)>& wanted) {
    std::vector<Entry> entries;
    for (std::size_t i = 0; i < points.columns.size(); ++i)
        if (const explore::PointColumn& column = points.columns[i]; !wanted || wanted(column))
            entries.push_back({i, toQt(column.id), toQt(column.title), toQt(column.help)});
    // A list that is open stays open while a run goes on.
    if (count() > 0 && entries == entries_) return;
    entries_ = std::move(entries);
    const QString before = id();
    clear();
    if (!none_.isEmpty()) addItem(none_, QString());
    for (const Entry& entry : entries_) {
        addItem(entry.title, entry.id);
        setItemData(count() - 1, QVariant::fromValue(static_cast<qulonglong>(entry.column)), kColumnRole);
        setItemData(count() - 1, entry.help.toHtmlEscaped(), Qt::ToolTipRole);
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
