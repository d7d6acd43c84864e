#include "ui/models/prediction_tables.h"

#include <QCoreApplication>
#include <cmath>
#include <utility>

#include "core/draw/theme.h"
#include "core/model/training.h"
#include "core/study/metric.h"
#include "core/study/prediction_study.h"
#include "ui/models/partition_run.h"
#include "ui/models/table_columns.h"
#include "ui/models/text.h"

namespace tessera::ui {

namespace {

using columns::colourBy;
using columns::number;
using columns::words;
using predict::Prediction;
using Column = TableModel::Column;

QString tr(const char* text) {
    return QCoreApplication::translate("PredictionTables", text);
}

QString fromView(std::string_view text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

/// Numbers that a prediction that does not fit, or an accelerator without a price, has not.
Column orNothing(Column column) {
    column.text = [text = column.text, sort = column.sort](int row) {
        return std::isnan(sort(row).toDouble()) ? QStringLiteral("–") : text(row);
    };
    return column;
}

class PredictionColumns {
public:
    explicit PredictionColumns(SharedPredictionChoice choice) : choice_(std::move(choice)) {}

    Column metric(const QString& title, const char* field, Measure measure,
                  std::function<std::optional<double>(const Prediction&)> value, const QString& help = {}) const {
        const auto of = [choice = choice_, value](int row) {
            const Prediction& one = choice->run.prediction(row);
            return one.infeasible ? NAN : value(one).value_or(NAN);
        };
        const auto path = [choice = choice_, field](int row) {
            return choice->run.name(row) + QLatin1Char('/') + QLatin1String(field);
        };
        Column column = number(title, measure, of, path, help);
        if (measure == Measure::count)
            column.text = [of, field](int row) {
                const std::optional<std::string> said = study::predictionMetricText(field, of(row));
                return said ? QString::fromStdString(*said) : QString::fromStdString(study::uncertainText(of(row)));
            };
        return orNothing(std::move(column));
    }

private:
    SharedPredictionChoice choice_;
};

QString errorText(const Prediction& one) {
    if (one.infeasible) return QStringLiteral("–");
    constexpr double kPercent = 100;
    return QStringLiteral("−%1 to +%2 %")
        .arg(std::abs(kPercent * one.error.low), 0, 'f', 0)
        .arg(kPercent * one.error.high, 0, 'f', 0);
}

}  // namespace

TableModel* predictionTableModel(const SharedPredictionChoice& choice, QObject* parent) {
    const auto of = [choice](int row) -> const Prediction& { return choice->run.prediction(row); };
    const PredictionColumns columns(choice);
    Column accelerator = words(tr("Accelerator"), [of](int row) { return shownText(of(row).accelerator); });
    colourBy(accelerator, [choice, of](int row) {
        const int index = choice->run.acceleratorNamed(QString::fromStdString(of(row).accelerator));
        return index < 0 ? QString() : fromView(choice->run.accelerator(index).colour);
    });
    Column devices =
        number(tr("Devices"), Measure::count, [of](int row) { return static_cast<double>(of(row).devices); });
    devices.text = [of](int row) { return columns::count(static_cast<double>(of(row).devices)); };
    Column batch = columns.metric(
        tr("Batch"), "batch", Measure::count,
        [](const Prediction& one) { return std::optional(static_cast<double>(one.batch)); },
        tr("Samples of a step on each device"));
    batch.text = [of](int row) { return columns::count(static_cast<double>(of(row).batch)); };
    const auto seconds = [&](const QString& title, const char* field, Seconds Prediction::*time, const QString& help) {
        return columns.metric(
            title, field, Measure::seconds, [time](const Prediction& one) { return std::optional((one.*time).value); },
            help);
    };
    return new TableModel(
        {accelerator, devices, batch,
         columns.metric(tr("Samples/s"), "throughput_samples_per_s", Measure::count,
                        [](const Prediction& one) { return std::optional(one.throughput); }),
         words(
             tr("Error"), [of](int row) { return errorText(of(row)); },
             tr("90 % of the errors that the numbers behind the prediction allow")),
         columns.metric(tr("Per dollar"), "samples_per_usd", Measure::count,
                        [](const Prediction& one) { return one.samplesPerUsd; }),
         columns.metric(
             tr("$/hour"), "price_per_hour_usd", Measure::count,
             [](const Prediction& one) { return one.pricePerHourUsd; }, tr("Of all devices")),
         seconds(tr("Step"), "step_time_s", &Prediction::step, {}),
         seconds(tr("Loading"), "load_s", &Prediction::load, tr("And preparing samples")),
         seconds(tr("Computation"), "compute_s", &Prediction::compute, {}),
         seconds(tr("Communication"), "communication_s", &Prediction::communication, {}),
         seconds(tr("Hidden"), "overlap_s", &Prediction::overlap, tr("What of these runs at the same time")),
         columns.metric(tr("Memory"), "memory_bytes", Measure::bytes,
                        [](const Prediction& one) { return std::optional(predict::sumOf(one.memory.bytes)); }),
         columns.metric(tr("Energy per sample"), "energy_per_sample_j", Measure::joules,
                        [](const Prediction& one) { return one.joulesPerSample; }),
         columns.metric(tr("To train"), "training_time_s", Measure::seconds,
                        [](const Prediction& one) {
                            return one.trainingTime ? std::optional(one.trainingTime->value) : std::nullopt;
                        }),
         columns.metric(tr("Cost"), "training_cost_usd", Measure::count,
                        [](const Prediction& one) { return one.trainingCostUsd; }),
         columns.metric(
             tr("Measured"), "common_share", Measure::count,
             [](const Prediction& one) -> std::optional<double> {
                 const predict::OperatorShares& shares = one.operators;
                 if (shares.operators == 0) return std::nullopt;
                 return static_cast<double>(shares.measured) / static_cast<double>(shares.operators);
             },
             tr("Operators whose time comes from a measured kernel")),
         words(tr("Why not"),
               [of](int row) { return of(row).infeasible ? shownText(*of(row).infeasible) : QString(); })},
        parent);
}

TableModel* operatorTableModel(const SharedPredictionChoice& choice, QObject* parent) {
    using predict::AlikeOperators;
    const auto of = [choice](int row) -> const AlikeOperators& {
        return choice->run.operators(choice->prediction()).at(choice->operators.at(static_cast<std::size_t>(row)));
    };
    const auto whole = [of](int row) { return of(row).time.value * static_cast<double>(of(row).count); };
    const auto share = [choice, whole](int row) {
        const double all = choice->chosen().operators.time.value;
        return all > 0 ? whole(row) / all : 0;
    };
    Column type = words(tr("Type"), [of](int row) { return shownText(of(row).type); });
    colourBy(type, [of](int row) { return fromView(report::operatorColour(model::nameOf(of(row).group))); });
    Column count = number(
        tr("Count"), Measure::count, [of](int row) { return static_cast<double>(of(row).count); }, {},
        tr("Operators that are alike: repeated layers"));
    count.text = [of](int row) { return columns::count(static_cast<double>(of(row).count)); };
    count.summed = true;
    Column time = number(tr("Time"), Measure::seconds, whole, {}, tr("Of all that are alike, in one step"));
    time.summed = true;
    time.sumText = [](double sum) { return columns::quantity(sum, Measure::seconds); };
    Column part = number(tr("Share"), Measure::count, share, {}, tr("Of the computation of a step"));
    part.text = [share](int row) { return QString::fromStdString(study::percentText(share(row))); };
    return new TableModel(
        {words(
             tr("Operator"), [of](int row) { return shownText(of(row).name); }, tr("The first of those alike")),
         type, words(tr("Pass"), [of](int row) { return fromView(model::nameOf(of(row).phase)); }), count, time, part,
         orNothing(number(
             tr("Intensity"), Measure::count,
             [of](int row) { return of(row).bytes.value > 0 ? of(row).flops.value / of(row).bytes.value : NAN; }, {},
             tr("FLOP per byte that is read or written"))),
         orNothing(number(tr("Rate"), Measure::flopsPerSecond,
                          [of](int row) {
                              return of(row).time.value > 0 && of(row).flops.value > 0
                                         ? of(row).flops.value / of(row).time.value
                                         : NAN;
                          })),
         words(tr("Told by"),
               [of](int row) { return QString::fromStdString(report::boundText(of(row).way, of(row).bound)); })},
        parent);
}

TableModel* sourceTableModel(const std::shared_ptr<report::Table>& sheet, QObject* parent) {
    const auto cell = [sheet](int row, std::size_t column) {
        return shownText(sheet->rows.at(static_cast<std::size_t>(row)).at(column));
    };
    QVector<Column> all;
    for (const auto& [title, column] : {std::pair(tr("Accelerator"), 0), std::pair(tr("Number"), 1),
                                        std::pair(tr("Class"), 2), std::pair(tr("Where from"), 3)})
        all.append(
            words(title, [cell, index = column](int row) { return cell(row, static_cast<std::size_t>(index)); }));
    return new TableModel(all, parent);
}

}  // namespace tessera::ui
