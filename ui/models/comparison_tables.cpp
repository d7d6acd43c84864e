#include "ui/models/comparison_tables.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <exception>
#include <functional>
#include <utility>

#include "core/base/input_files.h"
#include "core/base/number.h"
#include "core/base/units.h"
#include "core/draw/theme.h"
#include "core/model/model.h"
#include "core/report/comparison_report.h"
#include "core/store/recorder.h"
#include "core/study/partition/metrics.h"
#include "core/study/partition/study.h"
#include "ui/models/partition_run.h"
#include "ui/models/report_table.h"
#include "ui/models/table_columns.h"
#include "ui/models/text.h"
#include "ui/theme/theme.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

using columns::words;
using study::Comparison;
using study::Metric;
using Column = TableModel::Column;

/// The rows to show: all, or those in which the runs differ.
template <typename List>
std::vector<int> rowsOf(const List& list, bool onlyDifferences) {
    std::vector<int> rows;
    for (std::size_t row = 0; row < list.size(); ++row)
        if (!onlyDifferences || !list[row].same) rows.push_back(static_cast<int>(row));
    return rows;
}

/// The rows of a part of a comparison that are shown.
template <typename Row>
class ShownRows {
public:
    ShownRows(const SharedComparison& comparison, std::vector<Row> Comparison::*part, bool onlyDifferences)
        : comparison_(comparison),
          part_(part),
          rows_(std::make_shared<const std::vector<int>>(rowsOf((*comparison).*part, onlyDifferences))) {}
    const Row& operator()(int row) const { return ((*comparison_).*part_)[toIndex((*rows_)[toIndex(row)])]; }
    std::size_t size() const { return rows_->size(); }

private:
    SharedComparison comparison_;
    std::vector<Row> Comparison::*part_;
    std::shared_ptr<const std::vector<int>> rows_;
};

/// What a shown row is called; empty where there is no such row.
template <typename List, typename Name>
QString nameAt(const List& list, bool onlyDifferences, int row, Name name) {
    const std::vector<int> rows = rowsOf(list, onlyDifferences);
    return row >= 0 && toIndex(row) < rows.size() ? shownText(std::invoke(name, list[toIndex(rows[toIndex(row)])]))
                                                  : QString();
}

/// The first shown row of that name; -1 where there is none.
template <typename List, typename Name>
int rowNamed(const List& list, bool onlyDifferences, const QString& text, Name name) {
    const std::vector<int> rows = rowsOf(list, onlyDifferences);
    const auto found = std::find_if(rows.begin(), rows.end(),
                                    [&](int row) { return shownText(std::invoke(name, list[toIndex(row)])) == text; });
    return found == rows.end() ? -1 : static_cast<int>(found - rows.begin());
}

QString metricText(const Metric& metric, double value) {
    Metric shown = metric;
    shown.value = value;
    return toQt(study::textOf(shown));
}

QVariant againstColour(const Comparison::MetricRow& row, std::size_t run, std::size_t baseline) {
    if (!row.comparable || !row.values[run] || !row.values[baseline] || row.metric.better == Metric::Better::neither)
        return {};
    const double delta = *row.values[run] - *row.values[baseline];
    if (delta == 0) return {};
    const bool better = (delta < 0) == (row.metric.better == Metric::Better::lower);
    return theme().colour(better ? "good" : "bad");
}

/// "A  resnet50 on dgx-h100x8"
QString runTitle(const Comparison& comparison, std::size_t run) {
    return shownText(comparison.letters[run] + "  " + comparison.runs[run]);
}

/// What stands in a column of metricTableModel.
struct MetricColumn {
    const Comparison::MetricRow* row = nullptr;  ///< none: names
    bool difference = false;
};

std::vector<MetricColumn> metricColumns(const Comparison& comparison, bool onlyDifferences) {
    std::vector<MetricColumn> all(2);
    for (const Comparison::MetricRow* row : report::shownMetrics(comparison, !onlyDifferences)) {
        all.push_back({row, false});
        if (row->comparable) all.push_back({row, true});
    }
    return all;
}

Column valueColumn(const SharedComparison& comparison, const Comparison::MetricRow& metric) {
    Column value = words(toQt(metric.metric.title), [comparison, &metric](int run) {
        const auto& its = metric.values[toIndex(run)];
        return its ? metricText(metric.metric, *its) : u"–"_s;
    });
    value.number = true;
    value.sort = [comparison, &metric](int run) {
        const auto& its = metric.values[toIndex(run)];
        return its ? QVariant(*its) : QVariant();
    };
    value.exact = [comparison, &metric](int run) {
        const auto& its = metric.values[toIndex(run)];
        return its ? toQt(exactNumber(*its)) : QString();
    };
    if (metric.comparable) return value;
    value.title += u" (not comparable)"_s;
    value.help = u"Not comparable: %1"_s.arg(toQt(comparison->unlike));
    value.decoration = [](int, int role) {
        return role == Qt::ForegroundRole ? QVariant(theme().colour("secondary")) : QVariant();
    };
    return value;
}

Column differenceColumn(const SharedComparison& comparison, const Comparison::MetricRow& metric) {
    Column against =
        words(u"Δ vs "_s + toQt(comparison->letters[comparison->baseline]), [comparison, &metric](int run) {
            if (toIndex(run) == comparison->baseline) return u"baseline"_s;
            const std::string text = report::deltaText(*comparison, metric, toIndex(run));
            return text.empty() ? u"–"_s : toQt(text);
        });
    against.number = true;
    against.help = u"%1, against the baseline"_s.arg(toQt(metric.metric.title));
    against.sort = [comparison, &metric](int run) {
        const auto& ratio = metric.ratios[toIndex(run)];
        return ratio ? QVariant(*ratio) : QVariant();
    };
    against.decoration = [comparison, &metric](int run, int role) {
        return role == Qt::ForegroundRole ? againstColour(metric, toIndex(run), comparison->baseline) : QVariant();
    };
    return against;
}

TableModel* ofReport(report::Table table, QObject* parent) {
    const auto shared = std::make_shared<const report::Table>(std::move(table));
    auto* model = new TableModel(columns::ofTable(shared), parent);
    model->setRowCount(static_cast<int>(shared->rows.size()));
    return model;
}

/// A column of a run. Its name may be cut in the header; the whole one is in the tooltip.
Column ofRun(const Comparison& comparison, std::size_t run, std::function<QString(int)> text) {
    const QString title = runTitle(comparison, run);
    Column column = words(title, std::move(text));
    column.help = run == comparison.baseline ? u"%1, the baseline"_s.arg(title) : title;
    return column;
}

QVariant typeColour(const std::string& type) {
    for (const partition::Type each : {partition::Type::I, partition::Type::II, partition::Type::III})
        if (type == partition::nameOf(each))
            return theme().dataColour(report::kPartitionTypes.at(static_cast<std::size_t>(each)));
    return {};
}

TableModel* finished(const QVector<Column>& columns, std::size_t rows, QObject* parent) {
    auto* model = new TableModel(columns, parent);
    model->setRowCount(static_cast<int>(rows));
    return model;
}

/// The model as the run read it, whatever became of its file since.
std::shared_ptr<const ModelContents> contentsOf(const RunState& run, const std::filesystem::path& history) {
    const study::Study& study = run.study;
    const InputScope scope(store::storedInputs(history, run.run));
    model::LoadOptions load;
    load.batch = static_cast<std::int64_t>(study::partitionOptions(study).batch);
    load.dimensions = study.dimensions;
    auto contents = loadContents(toQt(placeOfInput(study.models.at(0))), load);
    if (!contents->layers) (void)model::layerGraph(contents->model);  // throws what is missing
    return contents;
}

/// What is new there is missing here.
ModelDifferences::Pair pairOf(int run, std::shared_ptr<const ModelContents> before,
                              std::shared_ptr<const ModelContents> after,
                              const std::vector<model::LayerDifference>& differences) {
    LayerChanges gone, come;
    for (const model::LayerDifference& difference : differences) {
        if (difference.kind != model::LayerDifference::Kind::added) gone.emplace(difference.name, difference.kind);
        if (difference.kind != model::LayerDifference::Kind::removed) come.emplace(difference.name, difference.kind);
    }
    return {.run = run,
            .before = std::move(before),
            .after = std::move(after),
            .gone = std::make_shared<const LayerChanges>(std::move(gone)),
            .come = std::make_shared<const LayerChanges>(std::move(come))};
}

/// Hash of the bytes that a run read as its model; empty where it names none.
std::string hashOfModel(const RunState& run) {
    if (run.study.models.empty()) return {};
    const std::vector<study::Input>& inputs = run.result->inputs;
    const auto found = std::ranges::find(inputs, run.study.models.front(), &study::Input::name);
    return found == inputs.end() ? std::string() : found->sha256;
}

bool isSameModel(const RunState& a, const RunState& b) {
    return a.study.models == b.study.models && a.study.dimensions == b.study.dimensions &&
           hashOfModel(a) == hashOfModel(b);
}

void addDifferences(ModelDifferences& all, const std::vector<RunState>& runs, int baseline,
                    const std::filesystem::path& history) {
    const RunState& first = runs.at(toIndex(baseline));
    std::shared_ptr<const ModelContents> before;
    for (std::size_t run = 0; run < runs.size(); ++run) {
        if (isSameModel(runs[run], first)) continue;
        try {
            if (!before) before = contentsOf(first, history);
            auto after = contentsOf(runs[run], history);
            std::vector<model::LayerDifference> differences = model::differences(*before->layers, *after->layers);
            if (!differences.empty() && all.pairs.size() < ModelDifferences::kMaxPairs)
                all.pairs.push_back(pairOf(static_cast<int>(run), before, std::move(after), differences));
            for (model::LayerDifference& difference : differences)
                all.rows.push_back({static_cast<int>(run), std::move(difference)});
        } catch (const std::exception& error) {
            all.problems << QString::fromUtf8(error.what());
            if (!before) return;
        }
    }
}

}  // namespace

ModelDifferences modelDifferences(const std::vector<RunState>& runs, int baseline,
                                  const std::filesystem::path& history) {
    ModelDifferences all;
    addDifferences(all, runs, baseline, history);
    all.problems.removeDuplicates();
    return all;
}

TableModel* metricTableModel(const SharedComparison& comparison, bool onlyDifferences, QObject* parent) {
    QVector<Column> list{words(u"Run"_s, [comparison](int run) { return toQt(comparison->letters[toIndex(run)]); }),
                         words(u"Name"_s, [comparison](int run) { return shownText(comparison->runs[toIndex(run)]); })};
    for (const MetricColumn& column : metricColumns(*comparison, onlyDifferences))
        if (column.row != nullptr)
            list.append(column.difference ? differenceColumn(comparison, *column.row)
                                          : valueColumn(comparison, *column.row));
    return finished(list, list.size() > 2 ? comparison->runs.size() : 0, parent);
}

TableModel* ownedMetricTableModel(const SharedComparison& comparison, bool onlyDifferences, QObject* parent) {
    return ofReport(report::ownedMetricTable(*comparison, !onlyDifferences), parent);
}

TableModel* partTableModel(const SharedComparison& comparison, bool onlyDifferences, QObject* parent) {
    return ofReport(report::partTable(*comparison, !onlyDifferences), parent);
}

TableModel* inputDifferenceModel(const SharedComparison& comparison, bool onlyDifferences, QObject* parent) {
    const ShownRows input(comparison, &Comparison::inputs, onlyDifferences);
    QVector<Column> columns{words(u"Part"_s, [input](int row) { return toQt(input(row).section); }),
                            words(u"Field"_s, [input](int row) { return shownText(input(row).field); })};
    for (std::size_t run = 0; run < comparison->runs.size(); ++run) {
        Column value = ofRun(*comparison, run, [input, run](int row) {
            const std::string& text = input(row).values[run];
            return text.empty() ? u"–"_s : shownText(text);
        });
        value.decoration = [input, run, base = comparison->baseline](int row, int role) -> QVariant {
            const bool other = input(row).values[run] != input(row).values[base];
            return role == Qt::ForegroundRole && other ? QVariant(theme().colour("accent")) : QVariant();
        };
        columns.append(value);
    }
    return finished(columns, input.size(), parent);
}

TableModel* layerDifferenceModel(const SharedComparison& comparison, bool onlyDifferences, QObject* parent) {
    const ShownRows layer(comparison, &Comparison::layers, onlyDifferences);
    Column level = words(u"Level"_s, [layer](int row) { return QString::number(layer(row).level); });
    level.sort = [layer](int row) { return QVariant(layer(row).level); };
    level.number = true;
    QVector<Column> columns{words(u"Layer"_s, [layer](int row) { return shownText(layer(row).layer); }),
                            words(u"Strategy"_s, [layer](int row) { return shownText(layer(row).strategy); }), level,
                            words(u"Group"_s, [layer](int row) { return shownText(layer(row).group); })};
    for (std::size_t run = 0; run < comparison->runs.size(); ++run) {
        Column type = ofRun(*comparison, run, [layer, run](int row) {
            const std::string& text = layer(row).types[run];
            return text.empty() ? u"–"_s : shownText(text);
        });
        type.decoration = [layer, run](int row, int role) -> QVariant {
            const std::string& text = layer(row).types[run];
            return role == Qt::DecorationRole ? typeColour(text) : QVariant();
        };
        columns.append(type);
    }
    return finished(columns, layer.size(), parent);
}

TableModel* shareTableModel(const SharedComparison& comparison, bool onlyDifferences, QObject* parent) {
    const ShownRows share(comparison, &Comparison::shares, onlyDifferences);
    Column type = words(u"Type"_s, [share](int row) { return toQt(share(row).type); });
    type.decoration = [share](int row, int role) {
        return role == Qt::DecorationRole ? typeColour(share(row).type) : QVariant();
    };
    QVector<Column> columns{words(u"Strategy"_s, [share](int row) { return shownText(share(row).strategy); }), type};
    for (std::size_t run = 0; run < comparison->runs.size(); ++run) {
        Column part = ofRun(*comparison, run, [share, run](int row) {
            const auto& value = share(row).shares[run];
            return value ? toQt(study::percentText(*value)) : u"–"_s;
        });
        part.number = true;
        part.sort = [share, run](int row) {
            const auto& value = share(row).shares[run];
            return value ? QVariant(*value) : QVariant();
        };
        part.help = u"Of all layers at all splits"_s;
        columns.append(part);
    }
    return finished(columns, share.size(), parent);
}

TableModel* modelDifferenceModel(const std::shared_ptr<const ModelDifferences>& differences, const QStringList& titles,
                                 QObject* parent) {
    const auto row = [differences](int index) -> const ModelDifferences::Row& {
        return differences->rows[toIndex(index)];
    };
    Column kind = words(u"Change"_s, [row](int index) {
        switch (row(index).difference.kind) {
            case model::LayerDifference::Kind::removed:
                return u"removed"_s;
            case model::LayerDifference::Kind::added:
                return u"added"_s;
            case model::LayerDifference::Kind::changed:
                return u"changed"_s;
        }
        return QString();
    });
    return finished({words(u"Run"_s, [row, titles](int index) { return titles.value(row(index).run); }), kind,
                     words(u"Layer"_s, [row](int index) { return shownText(row(index).difference.name); }),
                     words(u"In the baseline"_s, [row](int index) { return shownText(row(index).difference.before); }),
                     words(u"In this run"_s, [row](int index) { return shownText(row(index).difference.after); })},
                    differences->rows.size(), parent);
}

QString placeText(const Comparison::JobRow::Place& place) {
    const auto time = [&](double value) {
        return place.seconds ? toQt(formatSeconds(value)) : u"%1 cycles"_s.arg(countText(std::round(value)));
    };
    return u"%1, place %2, from %3 to %4"_s.arg(shownText(place.core))
        .arg(place.order + 1)
        .arg(time(place.start), time(place.finish));
}

TableModel* jobDifferenceModel(const SharedComparison& comparison, bool onlyDifferences, QObject* parent) {
    const ShownRows job(comparison, &Comparison::jobs, onlyDifferences);
    Column number = words(u"#"_s, [job](int row) { return QString::number(job(row).job); });
    number.sort = [job](int row) { return QVariant(static_cast<qulonglong>(job(row).job)); };
    number.number = true;
    QVector<Column> columns{number, words(u"Job"_s, [job](int row) { return shownText(job(row).name); })};
    for (std::size_t run = 0; run < comparison->runs.size(); ++run) {
        Column place = ofRun(*comparison, run, [job, run](int row) {
            const auto& its = job(row).places[run];
            return its ? placeText(*its) : u"–"_s;
        });
        place.sort = [job, run](int row) {
            const auto& its = job(row).places[run];
            return its ? QVariant(its->start) : QVariant();
        };
        place.exact = place.text;
        place.decoration = [job, run, base = comparison->baseline](int row, int role) -> QVariant {
            const auto& its = job(row).places[run];
            const auto& other = job(row).places[base];
            const bool moved = its && other && its->core != other->core;
            return role == Qt::ForegroundRole && moved ? QVariant(theme().colour("accent")) : QVariant();
        };
        columns.append(place);
    }
    return finished(columns, job.size(), parent);
}

QString jobOfRow(const Comparison& comparison, bool onlyDifferences, int row) {
    return nameAt(comparison.jobs, onlyDifferences, row, &Comparison::JobRow::name);
}

int rowOfJob(const Comparison& comparison, bool onlyDifferences, const QString& job) {
    return rowNamed(comparison.jobs, onlyDifferences, job, &Comparison::JobRow::name);
}

QString layerOfRow(const Comparison& comparison, bool onlyDifferences, int row) {
    return nameAt(comparison.layers, onlyDifferences, row, &Comparison::LayerRow::layer);
}

int rowOfLayer(const Comparison& comparison, bool onlyDifferences, const QString& layer) {
    return rowNamed(comparison.layers, onlyDifferences, layer, &Comparison::LayerRow::layer);
}

QString metricOfColumn(const Comparison& comparison, bool onlyDifferences, int column) {
    const std::vector<MetricColumn> all = metricColumns(comparison, onlyDifferences);
    if (column < 0 || toIndex(column) >= all.size() || all[toIndex(column)].row == nullptr) return {};
    return toQt(all[toIndex(column)].row->metric.name);
}

}  // namespace tessera::ui
