#include "ui/workspace/history/history_columns.h"

#include <QEvent>
#include <QGuiApplication>
#include <QHeaderView>
#include <QJsonArray>
#include <QMenu>
#include <QTableView>
#include <algorithm>
#include <iterator>

#include "ui/theme/theme.h"
#include "ui/workspace/history/history_model.h"
#include "ui/workspace/words.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

/// Widths in spacing steps, in order of importance. Metrics come behind `Started`.
struct ColumnWidth {
    int column;
    int steps;
};
constexpr ColumnWidth kWidths[] = {
    {HistoryModel::Star, 9},     {HistoryModel::Name, 50},     {HistoryModel::Result, 39}, {HistoryModel::Gap, 21},
    {HistoryModel::Started, 26}, {HistoryModel::Engine, 23},   {HistoryModel::Model, 28},  {HistoryModel::Hardware, 36},
    {HistoryModel::Tags, 20},    {HistoryModel::Headline, 60}, {HistoryModel::Status, 26}, {HistoryModel::Took, 18},
    {HistoryModel::Note, 40},    {HistoryModel::Origin, 36}};
constexpr int kMetricSteps = 26;

}  // namespace

HistoryColumns::HistoryColumns(QTableView& table, HistoryModel& model, QObject* parent)
    : QObject(parent), table_(&table), model_(&model) {
    QHeaderView* header = table_->horizontalHeader();
    header->setStretchLastSection(false);
    header->setMinimumSectionSize(theme().spacing(8));
    fit();
    table_->viewport()->installEventFilter(this);
    connect(table_->horizontalHeader(), &QHeaderView::sectionResized, this, [this](int column, int /*old*/, int width) {
        const bool byHand = !fitting_ && QGuiApplication::mouseButtons().testFlag(Qt::LeftButton);
        if (byHand && column != HistoryModel::Name) widths_[column] = width;
    });
    connect(model_, &HistoryModel::modelReset, this, [this] { fit(); });
    connect(model_, &HistoryModel::headerDataChanged, this, [this] { fit(); });
}

int HistoryColumns::minWidth(int column) const {
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
        if (row.column != HistoryModel::Started) continue;
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
        // All runs of a list are of its engine.
        const bool isSaid = column == HistoryModel::Engine && !engine_.isEmpty() && !isChosen;
        const bool isHidden = isSaid || (chosen_.contains(column) && !isChosen);
        const bool fits = minWidth(column) <= left;
        const bool isNeeded = column == HistoryModel::Name || column == HistoryModel::Result;
        const bool isShown = !isHidden && (isChosen || isNeeded || fits);
        // Behind the first column that does not fit, narrower ones would come and go in a jumble.
        if (isShown)
            left -= minWidth(column);
        else if (!isHidden)
            left = 0;
        table_->setColumnHidden(column, !isShown);
        if (isShown) shown.append(column);
    }
    for (const int column : shown) {
        const bool stretches = column == HistoryModel::Name;
        header->setSectionResizeMode(column, stretches ? QHeaderView::Stretch : QHeaderView::Interactive);
        if (!stretches) header->resizeSection(column, minWidth(column));
    }
    fitting_ = false;
}

bool HistoryColumns::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Resize) fit();
    return QObject::eventFilter(watched, event);
}

void HistoryColumns::show(int column, bool on) {
    chosen_[column] = on;
    fit();
}

QVector<ColumnChooser::Choice> HistoryColumns::choices() {
    QVector<ColumnChooser::Choice> all;
    for (int column = HistoryModel::Engine; column < HistoryModel::FirstMetric; ++column)
        all.append({.section = u"Run"_s,
                    .title = model_->headerData(column, Qt::Horizontal).toString(),
                    .help = model_->headerData(column, Qt::Horizontal, Qt::ToolTipRole).toString(),
                    .shown = !table_->isColumnHidden(column),
                    .choose = [this, column](bool on) { show(column, on); }});
    QVector<ColumnChooser::Choice> owned;
    for (const study::Metric& kind : model_->kinds().all()) {
        const QString name = QString::fromStdString(kind.name);
        (kind.owner.empty() ? all : owned)
            .append({.section = kind.owner.empty() ? u"Result"_s : shown(kind.owner),
                     .title = shown(kind.title),
                     .help = name,
                     .shown = model_->metrics().contains(name),
                     .choose = [this, name](bool on) { showMetric(name, on); }});
    }
    std::stable_sort(owned.begin(), owned.end(),
                     [](const auto& a, const auto& b) { return a.section.localeAwareCompare(b.section) < 0; });
    return all + owned;
}

void HistoryColumns::showMetric(const QString& name, bool on) {
    QStringList metrics = model_->metrics();
    metrics.removeAll(name);
    if (on) metrics.append(name);
    metrics_[engine_] = metrics;
    setMetrics(metrics);
}

/// Widths and choices are of columns, which stay; those of metrics go with these.
void HistoryColumns::setMetrics(const QStringList& metrics) {
    for (auto each = widths_.begin(); each != widths_.end();)
        each = each.key() >= HistoryModel::FirstMetric ? widths_.erase(each) : std::next(each);
    model_->setMetrics(metrics);
    fit();
}

void HistoryColumns::setEngine(const QString& engine, const QStringList& metrics) {
    engine_ = engine;
    setMetrics(metrics_.value(engine, metrics));
}

void HistoryColumns::reveal(int column) {
    if (table_->isColumnHidden(column)) show(column, true);
    table_->scrollTo(model_->index(std::max(0, table_->currentIndex().row()), column));
}

void HistoryColumns::fillMenu(QMenu& menu, int column) {
    QAction* hide = menu.addAction(u"Hide '%1'"_s.arg(model_->headerData(column, Qt::Horizontal).toString()));
    hide->setEnabled(column > HistoryModel::Name);
    connect(hide, &QAction::triggered, this, [this, column] {
        if (column >= HistoryModel::FirstMetric)
            showMetric(model_->idOf(column), false);
        else
            show(column, false);
    });
    menu.addAction(u"Choose columns…"_s, this, &HistoryColumns::openChooser);
}

void HistoryColumns::openChooser() {
    (new ColumnChooser(choices(), table_->window()))->open();
}

QJsonObject HistoryColumns::save() const {
    QJsonArray shown, hidden;
    for (auto each = chosen_.constBegin(); each != chosen_.constEnd(); ++each)
        (each.value() ? shown : hidden).append(model_->idOf(each.key()));
    QJsonObject widths;
    for (auto each = widths_.constBegin(); each != widths_.constEnd(); ++each)
        if (each.key() < model_->columnCount()) widths[model_->idOf(each.key())] = each.value();
    QJsonObject metrics;
    for (auto each = metrics_.constBegin(); each != metrics_.constEnd(); ++each)
        metrics[each.key()] = QJsonArray::fromStringList(each.value());
    return {{"metrics", metrics}, {"shown", shown}, {"hidden", hidden}, {"widths", widths}};
}

void HistoryColumns::restore(const QJsonObject& saved) {
    constexpr int kMaxColumns = 50;
    metrics_.clear();
    QJsonObject chosen = saved["metrics"].toObject();
    if (saved["metrics"].isArray()) chosen[QString()] = saved["metrics"];  // older versions had one list
    for (auto each = chosen.constBegin(); each != chosen.constEnd(); ++each) {
        QStringList& metrics = metrics_[each.key()];
        for (const QJsonValue name : each.value().toArray())
            if (name.isString() && metrics.size() < kMaxColumns) metrics.append(name.toString());
    }
    if (metrics_.contains(engine_)) setMetrics(metrics_[engine_]);
    constexpr int kWidest = 2000;
    const QJsonObject widths = saved["widths"].toObject();
    const QJsonArray shown = saved["shown"].toArray(), hidden = saved["hidden"].toArray();
    widths_.clear();
    chosen_.clear();
    for (int column = 0; column < model_->columnCount(); ++column) {
        const QString id = model_->idOf(column);
        if (const int width = widths[id].toInt(); width > 0 && width < kWidest) widths_[column] = width;
        if (column <= HistoryModel::Name || column >= HistoryModel::FirstMetric) continue;
        if (shown.contains(id)) chosen_[column] = true;
        if (hidden.contains(id)) chosen_[column] = false;
    }
    fit();
}

}  // namespace tessera::ui
