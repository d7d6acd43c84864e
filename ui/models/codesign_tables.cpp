#include "ui/models/codesign_tables.h"

#include <cmath>

#include "core/codesign/search/search.h"
#include "core/draw/theme.h"
#include "core/hardware/architecture.h"
#include "core/report/codesign_pictures.h"
#include "core/study/metric.h"
#include "ui/models/partition_run.h"
#include "ui/models/table_columns.h"
#include "ui/models/text.h"

namespace tessera::ui {

namespace {

using columns::number;
using columns::words;
using Column = TableModel::Column;

Column wholeColumn(const QString& title, std::function<double(int)> value, const QString& help = {}) {
    Column column = number(title, Measure::count, value, {}, help);
    column.text = [value](int row) { return columns::count(value(row)); };
    return column;
}

Column bufferColumn(const QString& title, std::function<double(int)> bytes, const QString& help = {}) {
    Column column = number(title, Measure::bytes, bytes, {}, help);
    column.text = [bytes](int row) { return QString::fromStdString(hardware::bufferSize(Bytes{bytes(row)})); };
    return column;
}

/// An amount beside sizes of HBM, in their units.
Column memory(const QString& title, std::function<double(int)> bytes, const QString& help = {}) {
    Column column = number(title, Measure::bytes, bytes, {}, help);
    column.text = [bytes](int row) { return QString::fromStdString(report::memorySize(Bytes{bytes(row)})); };
    return column;
}

Column shareColumn(const QString& title, std::function<double(int)> value, const QString& help = {}) {
    Column column = number(title, Measure::count, value, {}, help);
    column.text = [value](int row) { return QString::fromStdString(study::percentText(value(row))); };
    return column;
}

Column times(const QString& title, std::function<std::optional<double>(int)> factor, const QString& help = {}) {
    Column column = number(
        title, Measure::count, [factor](int row) { return factor(row).value_or(NAN); }, {}, help);
    column.text = [factor](int row) {
        const std::optional<double> its = factor(row);
        return its ? QString::fromStdString(study::timesText(*its)) : QStringLiteral("–");
    };
    return column;
}

/// A number of a model that fits; nothing of one that does not.
std::function<double(int)> fitting(const SharedCodesignChoice& choice,
                                   std::function<double(const codesign::ModelResult&)> value) {
    return [choice, value](int row) {
        const codesign::ModelResult& model = choice->run.model(row);
        return model.feasible ? value(model) : NAN;
    };
}

/// Numbers that may be missing.
Column orNothing(Column column) {
    column.text = [text = column.text, sort = column.sort](int row) {
        return std::isnan(sort(row).toDouble()) ? QStringLiteral("–") : text(row);
    };
    return column;
}

}  // namespace

TableModel* architectureTableModel(const SharedCodesignChoice& choice, QObject* parent) {
    const auto row = [choice](int index) -> const report::PointRow& {
        return choice->run.row(choice->visible.at(static_cast<std::size_t>(index)));
    };
    const auto architecture = [row](int index) -> const hardware::Architecture& {
        return row(index).point.architecture;
    };
    Column name = words(tr("Architecture"), [choice](int index) {
        return choice->run.architecture(choice->visible.at(static_cast<std::size_t>(index)));
    });
    columns::colourBy(name, [row](int index) {
        const report::PointRow& its = row(index);
        const std::string_view colour = its.best                ? report::kCategories[2]
                                        : !its.baseline.empty() ? report::kCategories[1]
                                        : its.onFront           ? std::string_view("accent")
                                                                : report::kCategories[5];
        return toQt(colour);
    });
    QVector<Column> all{name, words(tr("Role"), [choice, row](int index) {
                            const report::PointRow& its = row(index);
                            if (choice->visible.at(static_cast<std::size_t>(index)) == choice->pinned) return tr("A");
                            if (its.best) return tr("chosen");
                            if (!its.baseline.empty()) return shownText(its.baseline);
                            return its.onFront ? tr("front") : QString();
                        })};
    // Which values there are is known once there is a run; their number does not change the table.
    struct Known {
        const char* id;
        const char* title;
    };
    for (const Known& known : {Known{"area", QT_TRANSLATE_NOOP("CodesignTables", "Area")},
                               Known{"objective", QT_TRANSLATE_NOOP("CodesignTables", "Throughput")},
                               Known{"per-area", QT_TRANSLATE_NOOP("CodesignTables", "Per area")},
                               Known{"hbm", QT_TRANSLATE_NOOP("CodesignTables", "HBM")},
                               Known{"mfu", QT_TRANSLATE_NOOP("CodesignTables", "Utilisation")},
                               Known{"energy", QT_TRANSLATE_NOOP("CodesignTables", "Energy per sample")}}) {
        const auto value = [choice, id = QString::fromLatin1(known.id)] { return choice->run.value(id); };
        Column column = number(tr(known.title), Measure::count, [value, row](int index) {
            return value() == nullptr ? NAN : value()->of(row(index).point);
        });
        column.text = [value, row](int index) {
            return value() == nullptr ? QString() : QString::fromStdString(report::textOf(*value(), row(index).point));
        };
        all.append(column);
    }
    all += {wholeColumn(tr("Tensor cores"),
                        [architecture](int index) { return static_cast<double>(architecture(index).tensorCores); }),
            wholeColumn(tr("Vector cores"),
                        [architecture](int index) { return static_cast<double>(architecture(index).vectorCores); }),
            wholeColumn(
                tr("Width"), [architecture](int index) { return static_cast<double>(architecture(index).width); },
                tr("PE_x")),
            wholeColumn(
                tr("Height"), [architecture](int index) { return static_cast<double>(architecture(index).height); },
                tr("PE_y")),
            bufferColumn(tr("Global buffer"),
                         [architecture](int index) { return architecture(index).globalBuffer.value; })};
    return new TableModel(all, parent);
}

TableModel* placedModelTableModel(const SharedCodesignChoice& choice, QObject* parent) {
    using codesign::ModelResult;
    const auto model = [choice](int row) -> const ModelResult& { return choice->run.model(row); };
    const auto count = [&](const QString& title, std::int64_t ModelResult::*member, const QString& help) {
        return orNothing(wholeColumn(
            title, fitting(choice, [member](const ModelResult& its) { return static_cast<double>(its.*member); }),
            help));
    };
    return new TableModel(
        {words(tr("Model"), [choice](int row) { return choice->run.modelTitle(row); }),
         orNothing(
             wholeColumn(tr("Samples/s"), fitting(choice, [](const ModelResult& its) { return its.throughput; }))),
         orNothing(times(
             tr("Over expert"), [model](int row) { return model(row).speedupOverExpert; },
             tr("Over the reference with the expert's placement"))),
         orNothing(times(
             tr("Over solver"), [model](int row) { return model(row).speedupOverSolver; },
             tr("Over the reference with our placement"))),
         count(tr("Stages"), &ModelResult::pipeline, tr("Of the pipeline")),
         count(tr("Replicas"), &ModelResult::data, tr("Of the pipeline, each on its own accelerators")),
         count(tr("Width"), &ModelResult::tensor, tr("Accelerators that a layer is sliced over")),
         orNothing(wholeColumn(
             tr("Micro-batch"),
             fitting(choice, [](const ModelResult& its) { return static_cast<double>(its.choice.microBatch); }))),
         words(tr("Activations"),
               [model](int row) {
                   if (!model(row).feasible) return QStringLiteral("–");
                   return model(row).choice.recompute ? tr("computed again") : tr("kept");
               }),
         orNothing(bufferColumn(tr("HBM"), fitting(choice, [](const ModelResult& its) { return its.hbm.value; }))),
         orNothing(shareColumn(tr("Utilisation"), fitting(choice, [](const ModelResult& its) { return its.mfu; }))),
         orNothing(number(tr("Energy per sample"), Measure::joules,
                          fitting(choice, [](const ModelResult& its) { return its.energyPerSample; }))),
         words(tr("Why not"),
               [model](int row) { return model(row).feasible ? QString() : shownText(model(row).reason); })},
        parent);
}

TableModel* stageTableModel(const SharedCodesignChoice& choice, QObject* parent) {
    const auto stage = [choice](int row) -> const codesign::StageResult& {
        return choice->run.model(choice->model).stages.at(static_cast<std::size_t>(row));
    };
    const auto bytes = [&](const QString& title, Bytes codesign::StageMemory::*part, const QString& help = {}) {
        return memory(
            title, [stage, part](int row) { return (stage(row).memory.*part).value; }, help);
    };
    const auto seconds = [&](const QString& title, Seconds codesign::StageResult::*time, const QString& help = {}) {
        return number(
            title, Measure::seconds, [stage, time](int row) { return (stage(row).*time).value; }, {}, help);
    };
    Column layers =
        wholeColumn(tr("Layers"), [stage](int row) { return static_cast<double>(stage(row).layers.size()); });
    layers.summed = true;
    return new TableModel(
        {wholeColumn(tr("Stage"), [](int row) { return row + 1.0; }),
         words(
             tr("From"),
             [stage](int row) { return stage(row).layers.empty() ? QString() : shownText(stage(row).layers.front()); }),
         words(
             tr("To"),
             [stage](int row) { return stage(row).layers.empty() ? QString() : shownText(stage(row).layers.back()); }),
         layers,
         wholeColumn(
             tr("Accelerators"), [stage](int row) { return static_cast<double>(stage(row).accelerators); },
             tr("Of one replica")),
         seconds(tr("Forward"), &codesign::StageResult::forward, tr("Of one micro-batch, transfers included")),
         seconds(tr("Backward"), &codesign::StageResult::backward, tr("Of one micro-batch, transfers included")),
         seconds(tr("Load"), &codesign::StageResult::load, tr("The greatest one sets the pace")),
         bytes(tr("Weights"), &codesign::StageMemory::weights, tr("And their gradients")),
         bytes(tr("Optimiser"), &codesign::StageMemory::optimizer),
         bytes(tr("Activations"), &codesign::StageMemory::activations),
         bytes(tr("Kept"), &codesign::StageMemory::stashed, tr("For micro-batches in flight")),
         memory(tr("Memory"), [stage](int row) { return stage(row).memory.total().value; }),
         wholeColumn(
             tr("In flight"), [stage](int row) { return static_cast<double>(stage(row).memory.inFlight); },
             tr("Micro-batches between their forward and backward pass, at most"))},
        parent);
}

}  // namespace tessera::ui
