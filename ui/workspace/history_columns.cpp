#include "ui/workspace/history_columns.h"

#include <QEvent>
#include <QGuiApplication>
#include <QHeaderView>
#include <QJsonArray>
#include <QMenu>
#include <QTableView>
#include <algorithm>

#include "ui/theme/theme.h"
#include "ui/workspace/history_model.h"

namespace tessera::ui {

namespace {

/// Widths in spacing steps, in order of importance. Metrics come behind `Took`.
struct ColumnWidth {
    int column;
    int steps;
};
constexpr ColumnWidth kWidths[] = {
    {HistoryModel::Star, 9},      {HistoryModel::Name, 56}, {HistoryModel::Headline, 44}, {HistoryModel::Started, 26},
    {HistoryModel::Status, 26},   {HistoryModel::Took, 18}, {HistoryModel::Model, 30},    {HistoryModel::Tags, 26},
    {HistoryModel::Hardware, 42}, {HistoryModel::Note, 40}};
constexpr int kMetricSteps = 26;
/// Of the space that is left when all columns have their least width, the name gets this share, and the outcome the
/// rest.
constexpr double kNameShare = 0.4;
constexpr int kWidestName = 110;  ///< in spacing steps

}  // namespace

HistoryColumns::HistoryColumns(QTableView& table, HistoryModel& model, QObject* parent)
    : QObject(parent), table_(&table), model_(&model) {
    arrange();
    table_->viewport()->installEventFilter(this);
    connect(table_->horizontalHeader(), &QHeaderView::sectionResized, this, [this](int column, int /*old*/, int width) {
        const bool byHand = !fitting_ && QGuiApplication::mouseButtons().testFlag(Qt::LeftButton);
        if (byHand && column != HistoryModel::Headline) widths_[column] = width;
    });
    connect(model_, &HistoryModel::modelReset, this, [this] { fit(); });
    connect(model_, &HistoryModel::headerDataChanged, this, [this] { fit(); });
}

/// What came out, and when, stands before what went in: the eye finds a run by it.
void HistoryColumns::arrange() {
    QHeaderView* header = table_->horizontalHeader();
    header->setStretchLastSection(false);
    header->setMinimumSectionSize(theme().spacing(8));
    header->moveSection(header->visualIndex(HistoryModel::Headline), HistoryModel::Model);
    header->moveSection(header->visualIndex(HistoryModel::Started), HistoryModel::Model);
    fit();
}

int HistoryColumns::leastWidth(int column) const {
    if (const int width = widths_.value(column, 0); width > 0) return width;
    for (const ColumnWidth& row : kWidths)
        if (row.column == column) return theme().spacing(row.steps);
    const int title = table_->horizontalHeader()->sectionSizeHint(column);
    return std::clamp(title, theme().spacing(kMetricSteps), theme().spacing(2 * kMetricSteps));
}

QList<int> HistoryColumns::byImportance() const {
    QList<int> columns;
    for (const ColumnWidth& row : kWidths) {
        columns.append(row.column);
        if (row.column != HistoryModel::Took) continue;
        for (int metric = HistoryModel::FirstMetric; metric < model_->columnCount(); ++metric) columns.append(metric);
    }
    return columns;
}

void HistoryColumns::fit() {
    if (fitting_ || model_->columnCount() == 0) return;
    fitting_ = true;
    QHeaderView* header = table_->horizontalHeader();
    int left = table_->viewport()->width();
    QList<int> shown;
    for (const int column : byImportance()) {
        const bool isChosen = chosen_.value(column, false);
        const bool isHidden = chosen_.contains(column) && !isChosen;
        const bool fits = leastWidth(column) <= left;
        const bool isNeeded = column == HistoryModel::Name || column == HistoryModel::Headline;
        const bool isShown = !isHidden && (isChosen || isNeeded || fits);
        // Behind the first column that does not fit, narrower ones would come and go in a jumble.
        if (isShown)
            left -= leastWidth(column);
        else if (!isHidden)
            left = 0;
        table_->setColumnHidden(column, !isShown);
        if (isShown) shown.append(column);
    }
    const int spare = std::max(0, left);
    for (const int column : shown) {
        header->setSectionResizeMode(
            column, column == HistoryModel::Headline ? QHeaderView::Stretch : QHeaderView::Interactive);
        int width = leastWidth(column);
        if (column == HistoryModel::Name && !widths_.contains(column))
            width = std::min(width + static_cast<int>(kNameShare * spare), theme().spacing(kWidestName));
        if (column != HistoryModel::Headline) header->resizeSection(column, width);
    }
    fitting_ = false;
}

bool HistoryColumns::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Resize) fit();
    return QObject::eventFilter(watched, event);
}

void HistoryColumns::fillMenu(QMenu& menu) {
    for (int column = HistoryModel::Status; column < HistoryModel::FirstMetric; ++column) {
        QAction* each = menu.addAction(model_->headerData(column, Qt::Horizontal).toString());
        each->setCheckable(true);
        each->setChecked(!table_->isColumnHidden(column));
        connect(each, &QAction::toggled, this, [this, column](bool on) {
            chosen_[column] = on;
            fit();
        });
    }
    menu.addSeparator();
    for (const study::Metric& kind : model_->kinds().all()) {
        const QString name = QString::fromStdString(kind.name);
        QAction* each = menu.addAction(model_->kinds().title(name));
        each->setCheckable(true);
        each->setChecked(model_->metrics().contains(name));
        connect(each, &QAction::toggled, this, [this, name](bool on) {
            QStringList metrics = model_->metrics();
            metrics.removeAll(name);
            if (on) metrics.append(name);
            model_->setMetrics(metrics);
        });
    }
}

QJsonObject HistoryColumns::save() const {
    QJsonArray shown, hidden;
    for (auto each = chosen_.constBegin(); each != chosen_.constEnd(); ++each)
        (each.value() ? shown : hidden).append(each.key());
    QJsonObject widths;
    for (auto each = widths_.constBegin(); each != widths_.constEnd(); ++each)
        widths[QString::number(each.key())] = each.value();
    return {{"metrics", QJsonArray::fromStringList(model_->metrics())},
            {"shown", shown},
            {"hidden", hidden},
            {"widths", widths}};
}

void HistoryColumns::restore(const QJsonObject& saved) {
    constexpr int kMostColumns = 50;
    if (saved.contains("metrics")) {
        QStringList metrics;
        for (const QJsonValue name : saved["metrics"].toArray())
            if (name.isString() && metrics.size() < kMostColumns) metrics.append(name.toString());
        model_->setMetrics(metrics);
    }
    constexpr int kWidest = 2000;
    const QJsonObject widths = saved["widths"].toObject();
    widths_.clear();
    for (int column = 0; column < model_->columnCount(); ++column)
        if (const int width = widths[QString::number(column)].toInt(); width > 0 && width < kWidest)
            widths_[column] = width;
    chosen_.clear();
    for (const char* key : {"shown", "hidden"})
        for (const QJsonValue column : saved[QLatin1String(key)].toArray())
            if (column.toInt() >= HistoryModel::Status && column.toInt() < HistoryModel::FirstMetric)
                chosen_[column.toInt()] = qstrcmp(key, "shown") == 0;
    fit();
}

}  // namespace tessera::ui
