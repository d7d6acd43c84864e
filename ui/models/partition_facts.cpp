#include "ui/models/partition_facts.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "core/base/number.h"
#include "core/partition/partition.h"
#include "core/study/explanation.h"
#include "core/study/metric.h"
#include "core/study/partition/fields.h"
#include "ui/models/field_columns.h"
#include "ui/models/text.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

Facts::Row textRow(const QString& label, const QString& value, const QString& whereFrom = {}) {
    return {.label = label, .value = value, .whereFrom = whereFrom};
}

Facts::Row shareRow(const QString& label, double part, double whole) {
    return textRow(label, whole > 0 ? toQt(study::percentText(part / whole)) : u"–"_s);
}

/// What fields say of a row of the chosen plan; `path` leads to it in the plan, empty = the plan's own.
template <typename Row>
Facts::Section sectionOf(const PartitionChoice& choice, const QString& title,
                         const std::vector<study::Field<Row>>& fields, const Row& row, const std::string& path,
                         study::FieldUse use = study::kFacts) {
    const std::string& strategy = choice.chosen().strategy;
    return columns::factsOf(title, fields, row, choice.run.shared(), path.empty() ? strategy : strategy + "/" + path,
                            use);
}

double timeOfSplit(const PartitionChoice& choice) {
    double sum = 0;
    for (std::size_t row = 0; row < study::splitRowCount(choice.level()); ++row)
        sum += study::splitRow(choice.run.outcome().result, choice.chosen(), choice.level(), row).together().value;
    return sum;
}

}  // namespace

Facts layerFacts(const PartitionChoice& choice, int layer) {
    const study::SplitRow row =
        study::splitRow(choice.run.outcome().result, choice.chosen(), choice.level(), toIndex(layer));
    const partition::Type chosen = row.layer->type;
    const std::string path = fmt::format("levels[{}]/layers[{}]", choice.split, layer);
    Facts facts{.title = choice.run.layerName(row.layer->layer),
                .subtitle = u"%1 under %2"_s.arg(typeTitle(chosen), choice.run.strategy(choice.plan)),
                .icon = u"layer"_s};
    Facts::Row type = textRow(u"Type"_s, typeTitle(chosen), u"chosen by the search, AccPar section 5"_s);
    const auto pinned = choice.pins.types.find(row.name());
    if (pinned != choice.pins.types.end()) type.whereFrom = u"pinned to %1"_s.arg(typeTitle(pinned->second));
    type.explain = [run = choice.run, at = choice.chosen().strategy + "/" + path + "/type"] {
        return study::explain(run.result(), at);
    };
    Facts::Section times = sectionOf(choice, u"Critical-path time"_s, study::splitRowFields(), row, path);
    times.rows.append({shareRow(u"Share of this split"_s, row.together().value, timeOfSplit(choice)),
                       shareRow(u"Share of step time spent in its transfers"_s, (row.intra() + row.inter()).value,
                                choice.chosen().stepTime.value)});
    facts.sections = {{u"Split"_s, {textRow(u"Where"_s, choice.run.splitTitle(choice.plan, choice.split)), type}},
                      times};
    return facts;
}

Facts splitFacts(const PartitionChoice& choice) {
    const partition::LevelPlan& level = choice.level();
    Facts facts{.title = choice.run.splitTitle(choice.plan, choice.split),
                .subtitle = u"Split under %1"_s.arg(choice.run.strategy(choice.plan)),
                .icon = u"split"_s,
                .sections = {sectionOf(choice, u"Split"_s, study::levelFields(), level,
                                       fmt::format("levels[{}]", choice.split))}};
    facts.sections.front().rows.front().whereFrom =
        choice.pins.ratios.count(level.level) != 0 ? u"pinned by hand"_s : u"share of the first side"_s;
    return facts;
}

Facts planFacts(const PartitionChoice& choice) {
    return {.title = choice.run.strategy(choice.plan),
            .subtitle = u"%1 on %2"_s.arg(shownText(choice.run.outcome().model), shownText(choice.run.outcome().fleet)),
            .icon = u"strategy"_s,
            .sections = {sectionOf(choice, u"Plan"_s, study::planFields(), choice.chosen(), "")},
            .ofWhole = true};
}

Facts acceleratorFacts(const PartitionChoice& choice, int kind) {
    const partition::AcceleratorShare& share = choice.chosen().shares.at(toIndex(kind));
    Facts facts{.title = shownText(share.kind),
                .subtitle = u"%1 accelerators under %2"_s.arg(countText(share.count), choice.run.strategy(choice.plan)),
                .icon = u"accelerator"_s};
    const auto section = [&](const QString& title, study::FieldUse use) {
        return sectionOf(choice, title, study::shareFields(), share, fmt::format("per_accelerator[{}]", kind), use);
    };
    facts.sections = {section(u"Time of the slowest"_s, study::kFacts), section(u"Memory"_s, study::kWhat)};
    facts.sections.back().rows.front().whereFrom = u"weights, gradients, optimizer state and activations"_s;
    return facts;
}

}  // namespace tessera::ui
