#include "ui/models/validation_data.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <string_view>
#include <utility>

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/physical/software.h"
#include "core/physical/utilisation.h"
#include "core/report/validation_tables.h"
#include "core/study/metric.h"
#include "ui/models/field_columns.h"
#include "ui/models/table_columns.h"
#include "ui/models/text.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

using physical::ValidationRow;

constexpr std::size_t kLongestCell = 120;

/// What a filter looks at: names of the row and its configuration.
QString wordsOf(const study::MeasuredValidation& result, const ValidationRow& row) {
    QString words = toQt(row.set) + QLatin1Char(' ') + toQt(row.id);
    for (const auto& [column, cell] : study::configurationOf(result, row)) words += QLatin1Char(' ') + toQt(cell);
    return words.toLower();
}

bool isMatch(const QString& words, const QStringList& filter) {
    return std::all_of(filter.begin(), filter.end(), [&](const QString& each) { return words.contains(each); });
}

/// The errors of a set in one quantity: those of its part, where it has several metrics.
const physical::ErrorSummary& errorsIn(const physical::ValidationSet& set, const std::string& metric) {
    for (const physical::ValidationPart& part : set.parts)
        if (part.part == metric) return part.errors;
    return set.errors;
}

/// A column whose name is short for what a person says.
struct ColumnWords {
    std::string_view column;
    QLatin1String title;
};
constexpr std::array<ColumnWords, 5> kColumnWords{{{"dims", QLatin1String("Dimensions")},
                                                   {"dtype", QLatin1String("Data type")},
                                                   {"per_node", QLatin1String("Accelerators in a node")},
                                                   {"network_bits_per_s", QLatin1String("Network of a node")},
                                                   {"zero", QLatin1String("ZeRO stage")}}};

/// A column name as a person says it: "micro_batch" -> "Micro batch".
QString columnTitle(const std::string& column) {
    for (const ColumnWords& words : kColumnWords)
        if (words.column == column) return words.title;
    QString title = shownText(column, 40);
    title.replace(QLatin1Char('_'), QLatin1Char(' '));
    if (!title.isEmpty()) title[0] = title[0].toUpper();
    return title;
}

/// A cell as a person reads it.
QString cellText(const std::string& column, const std::string& cell) {
    const std::optional<double> number = physical::measuredNumber(cell);
    if (number && column == "network_bits_per_s") return columns::quantity(*number, Measure::bitsPerSecond);
    if (number && column == "bytes") return columns::quantity(*number, Measure::bytes);
    if (column == "training") return cell == "0" ? u"no: inference"_s : u"yes"_s;
    if (number && std::floor(*number) == *number && std::fabs(*number) >= 10'000) return countText(*number);
    QString text = shownText(cell, kLongestCell);
    return text.replace(QLatin1Char(';'), QLatin1String(", "));
}

Facts::Row doubtRow(const QString& label, double share) {
    Facts::Row row{.label = label, .value = toQt(study::percentText(share))};
    if (share > physical::kDoubtfulShare)
        row.whereFrom = u"Doubtful: steps hardly ever reach more than %1 of the peak."_s.arg(
            toQt(study::percentText(physical::kDoubtfulShare)));
    return row;
}

Facts::Section resultSection(const ValidationRow& row, const report::ValidationQuantity& quantity) {
    const auto fact = [&](const QString& label, double value) {
        return columns::numberFact(label, toQt(report::valueText(quantity, value)), value);
    };
    Facts::Section section{.title = u"Prediction"_s, .rows = {fact(u"Measured"_s, row.measured)}};
    if (!row.prediction.estimate) {
        section.rows.append(
            {.label = u"Predicted"_s, .value = u"refused"_s, .whereFrom = shownText(row.prediction.refused, 1000)});
        return section;
    }
    const physical::Estimate& estimate = *row.prediction.estimate;
    section.rows.append(fact(u"Predicted"_s, estimate.value));
    section.rows.append(
        {.label = u"Deviation"_s, .value = toQt(report::deviationText(row)), .exact = columns::exact(row.error)});
    section.rows.append({.label = u"90 % interval"_s,
                         .value = u"%1 to %2"_s.arg(toQt(report::valueText(quantity, estimate.low)),
                                                    toQt(report::valueText(quantity, estimate.high))),
                         .whereFrom = physical::isInsideBar(row) ? u"It holds the measured value."_s
                                                                 : u"The measured value lies outside."_s});
    return section;
}

Facts::Section shareSection(const ValidationRow& row) {
    Facts::Section section{.title = u"Share of the accelerators' peak"_s, .rows = {}};
    if (row.measuredShare) section.rows.append(doubtRow(u"Measured"_s, *row.measuredShare));
    if (row.predictedShare) section.rows.append(doubtRow(u"Predicted"_s, *row.predictedShare));
    return section;
}

Facts::Section assumedSection(const ValidationData& data, const ValidationRow& row) {
    Facts::Section section{.title = u"What was assumed"_s, .rows = {}};
    const bool training = data.validation().kinds.at(row.file) == "training";
    for (const auto& [column, cell] : study::configurationOf(data.result, row)) {
        if (!training || column != "software") continue;
        const physical::SoftwareStack* stack = physical::softwareStackOf(cell);
        const auto profile = stack == nullptr ? physical::SoftwareProfile::fused : stack->profile;
        section.rows.append({.label = u"Software is taken as"_s,
                             .value = toQt(physical::kSoftwareProfileNames.of(profile)),
                             .whereFrom = stack == nullptr ? u"No known stack is named."_s : toQt(stack->does)});
    }
    QStringList unsaid;
    for (const std::string& column : study::unsaidOf(data.result, row)) unsaid << columnTitle(column).toLower();
    if (training && !unsaid.isEmpty())
        section.rows.append({.label = u"Not said"_s,
                             .value = unsaid.join(u", "_s),
                             .whereFrom = u"Each takes its documented default, or the fastest choice that fits."_s});
    const std::string how = study::howJudged(data.result, row);
    if (!how.empty()) section.rows.append({.label = u"Fair"_s, .value = toQt(how)});
    return section;
}

}  // namespace

SharedValidation makeValidation(const QString& file, const RunControl& control) {
    auto data = std::make_shared<ValidationData>();
    const std::vector<std::string> names =
        file.isEmpty() ? std::vector<std::string>{} : std::vector{file.toStdString()};
    data->result = study::validateMeasured(names, {}, control);
    const physical::Validation& validation = data->validation();
    data->quantities = report::quantitiesOf(validation);
    data->quantity.reserve(validation.rows.size());
    data->words.reserve(validation.rows.size());
    std::map<std::string_view, int> places;
    for (const report::ValidationQuantity& each : data->quantities)
        places.emplace(each.id, static_cast<int>(places.size()));
    for (const ValidationRow& row : validation.rows) {
        data->quantity.push_back(places.at(report::quantityOf(validation, row)));
        data->words.push_back(wordsOf(data->result, row));
    }
    return data;
}

void refreshRows(ValidationChoice& choice) {
    choice.rows.clear();
    choice.sets.clear();
    if (choice.isEmpty()) return;
    const ValidationData& data = *choice.data;
    const QStringList filter = choice.filter.toLower().split(QLatin1Char(' '), Qt::SkipEmptyParts);
    std::map<std::string_view, std::string_view> metrics;  // of sets that have rows of the quantity
    for (std::size_t i = 0; i < data.quantity.size(); ++i) {
        if (data.quantity[i] != choice.quantity) continue;
        const ValidationRow& row = data.row(i);
        metrics.emplace(row.set, row.metric);
        if (choice.hiddenSets.contains(toQt(row.set)) || !isMatch(data.words[i], filter)) continue;
        choice.rows.push_back(i);
    }
    std::stable_sort(choice.rows.begin(), choice.rows.end(),
                     [&](std::size_t a, std::size_t b) { return data.row(a).error > data.row(b).error; });
    for (const physical::ValidationSet& set : data.validation().sets)
        if (const auto metric = metrics.find(set.set); metric != metrics.end())
            choice.sets.push_back({toQt(set.set), errorsIn(set, std::string(metric->second))});
}

int placeOf(const ValidationChoice& choice, std::size_t row) {
    const auto found = std::find(choice.rows.begin(), choice.rows.end(), row);
    return found == choice.rows.end() ? -1 : static_cast<int>(found - choice.rows.begin());
}

TableModel* validationSetModel(const SharedValidationChoice& choice, QObject* parent) {
    const auto of = [choice](int row) {
        const ValidationChoice::Set& set = choice->sets.at(static_cast<std::size_t>(row));
        return report::NamedErrors{set.name.toStdString(), &set.errors};
    };
    QVector<TableModel::Column> all = columns::ofFields(report::errorFields(), of);
    all.front().text = [choice](int row) {
        const QString& name = choice->sets.at(static_cast<std::size_t>(row)).name;
        return shownText(name.toStdString()) + (choice->hiddenSets.contains(name) ? u" (not shown)"_s : QString());
    };
    return new TableModel(std::move(all), parent);
}

TableModel* validationRowModel(const SharedValidationChoice& choice, QObject* parent) {
    const auto of = [choice](int row) {
        return report::JudgedRow{&choice->data->row(choice->rows.at(static_cast<std::size_t>(row))),
                                 &choice->shownQuantity()};
    };
    return new TableModel(columns::ofFields(report::judgedRowFields(), of), parent);
}

Facts validationRowFacts(const ValidationData& data, std::size_t index) {
    const ValidationRow& row = data.row(index);
    const report::ValidationQuantity& quantity = data.quantities.at(static_cast<std::size_t>(data.quantity.at(index)));
    Facts facts{.title = shownText(row.id),
                .subtitle = u"%1 of %2"_s.arg(toQt(quantity.title), shownText(row.set)),
                .icon = u"validation"_s};
    facts.sections.append(resultSection(row, quantity));
    Facts::Section configuration{.title = u"Configuration"_s, .rows = {}};
    for (const auto& [column, cell] : study::configurationOf(data.result, row))
        configuration.rows.append(
            {.label = columnTitle(column), .value = cellText(column, cell), .exact = shownText(cell, 1000)});
    facts.sections.append(configuration);
    if (Facts::Section shares = shareSection(row); !shares.rows.isEmpty()) facts.sections.append(shares);
    facts.sections.append(assumedSection(data, row));
    const auto [source, line] = study::sourceOf(data.result, row);
    const QString file = toQt(std::filesystem::path(data.validation().files.at(row.file)).filename().string());
    facts.sections.append(
        {.title = u"Source"_s,
         .rows = {{.label = u"Published by"_s,
                   .value = source.empty() ? u"not said"_s : shownText(source),
                   .whereFrom = u"The key of a source, which the README beside the table explains."_s},
                  {.label = u"Table"_s, .value = u"%1, line %2"_s.arg(shownText(file.toStdString())).arg(line)}}});
    return facts;
}

Facts validationSetFacts(const ValidationData& data, const QString& name) {
    Facts facts{.title = shownText(name.toStdString()), .subtitle = u"Set of measured rows"_s, .icon = u"validation"_s};
    for (const physical::ValidationSet& set : data.validation().sets) {
        if (toQt(set.set) != name) continue;
        facts.sections.append(columns::factsOf(u"Errors"_s, report::errorFields(),
                                               report::NamedErrors{set.set, &set.errors}, nullptr, {}));
        Facts::Section peers{.title = u"Other methods on these rows"_s, .rows = {}};
        for (const physical::PeerErrors& peer : set.errors.peers)
            peers.rows.append(
                {.label = shownText(peer.method, 80),
                 .value = toQt(report::errorText(peer.mean)),
                 .whereFrom = u"mean error of %1 rows, %2"_s.arg(countText(peer.rows), shownText(peer.source))});
        if (!peers.rows.isEmpty()) facts.sections.append(peers);
        Facts::Section refusals{.title = u"Why rows are refused"_s, .rows = {}};
        for (const auto& [why, rows] : set.refusals)
            refusals.rows.append({.label = counted(rows, "row", "rows"), .value = shownText(why, 400)});
        if (!refusals.rows.isEmpty()) facts.sections.append(refusals);
    }
    return facts;
}

Facts validationOverview(const ValidationData& data) {
    const physical::Validation& validation = data.validation();
    Facts facts{.title = u"Validation"_s,
                .subtitle = u"%1 measured rows in %2 sets"_s.arg(countText(validation.rows.size()),
                                                                 countText(validation.sets.size())),
                .icon = u"validation"_s};
    Facts::Section files{.title = u"Tables"_s, .rows = {}};
    for (const study::Input& input : data.result.inputs)
        files.rows.append({.label = shownText(input.name),
                           .value = shownText(input.sha256.substr(0, 12)),
                           .exact = shownText(input.sha256)});
    facts.sections.append(files);
    return facts;
}

}  // namespace tessera::ui
