#include "ui/workspace/run_facts.h"

#include <QDateTime>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "core/study/title.h"
#include "ui/editors/study_form.h"
#include "ui/jobs/run_status.h"
#include "ui/models/text.h"
#include "ui/views/runs/run_progress.h"
#include "ui/workspace/words.h"

namespace tessera::ui {

namespace {

constexpr std::size_t kMaxMetrics = 16;

QString valueText(const Json& value, Measure measure = Measure::count) {
    if (value.is_boolean()) return value.get<bool>() ? tr("yes") : tr("no");
    if (value.is_string()) return shown(value.get_ref<const std::string&>());
    if (value.is_number())
        return toQt(measure == Measure::count ? formatCount(value.get<double>())
                                              : formatQuantity(value.get<double>(), measure));
    constexpr std::size_t kMaxParts = 16;
    if (value.size() > kMaxParts) return tr("%1 entries").arg(value.size());
    QStringList parts;
    for (const auto& [key, each] : value.items())
        parts.append(value.is_object() ? shown(key) + QStringLiteral(" = ") + valueText(each, measure)
                                       : valueText(each, measure));
    return parts.join(QStringLiteral(", "));
}

void addText(Facts::Section& section, const QString& label, const QString& value) {
    if (!value.isEmpty()) section.rows.append({.label = label, .value = value});
}

Facts::Section outcomeFacts(const store::RunRow& row, const MetricKinds& kinds) {
    Facts::Section section{.title = tr("What"), .rows = {}};
    addText(section, row.status == store::RunStatus::failed ? tr("Problem") : tr("Outcome"), shown(row.headline));
    addText(section, tr("Damage"), shown(row.damage));
    addText(section, tr("Model"), shown(row.models));
    addText(section, tr("Hardware"), shown(row.hardware));
    for (const auto& [name, value] : row.metrics) {
        const QString metric = toQt(name);
        section.rows.append(
            {.label = kinds.title(metric), .value = kinds.text(metric, value), .exact = toQt(exactNumber(value))});
        if (section.rows.size() > static_cast<qsizetype>(kMaxMetrics)) break;
    }
    return section;
}

Facts::Section originFacts(const store::RunRow& row) {
    Facts::Section section{.title = tr("When and where"), .rows = {}};
    if (row.started)
        addText(section, tr("Started"),
                QDateTime::fromMSecsSinceEpoch(*row.started).toString(QStringLiteral("yyyy-MM-dd HH:mm:ss")));
    if (row.started && row.finished) addText(section, tr("Took"), durationText(static_cast<double>(row.worked) / 1000));
    if (row.imported)
        addText(section, tr("Imported"), tr("from %1 on %2").arg(shown(row.importedFrom), momentText(*row.imported)));
    addText(section, tr("Program"), shown(row.version));
    addText(section, tr("Computer"), shown(row.host));
    return section;
}

}  // namespace

Facts::Section parameterFacts(const study::Study& study) {
    Facts::Section section{.title = tr("Parameters"), .rows = {}};
    try {
        for (const study::Parameter& row : study::engineNamed(study.engine).parameters()) {
            const auto found = study.parameters->find(std::string(row.name));
            if (found == study.parameters->end() || found->is_null() || (found->is_structured() && found->empty()))
                continue;
            // Research options are shown if the user has set them.
            if (row.research && *found == study::defaultOf(row)) continue;
            addText(section, labelOf(row), valueText(*found, row.measure));
        }
    } catch (const UsageError&) {
        // An engine of a newer program: what it was asked is not known here.
    }
    for (const auto& [name, value] : study.dimensions) addText(section, shown(name), QString::number(value));
    if (study.seed) addText(section, tr("Seed"), QString::number(*study.seed));
    return section;
}

Facts runFacts(const store::RunRow& row, const MetricKinds& kinds, const std::optional<study::Study>& study) {
    Facts facts;
    facts.title = row.name.empty() ? tr("Run %1").arg(row.id) : shown(row.name);
    facts.subtitle = row.id == 0 ? statusText(row.status) : tr("Run %1 · %2").arg(row.id).arg(statusText(row.status));
    facts.icon = statusIcon(row.status);
    facts.sections.append(outcomeFacts(row, kinds));
    if (study) facts.sections.append(parameterFacts(*study));
    if (!study && row.seed) addText(facts.sections.front(), tr("Seed"), QString::number(*row.seed));
    facts.sections.append(originFacts(row));
    QStringList tags;
    for (const std::string& tag : row.tags) tags.append(shown(tag));
    Facts::Section own{.title = tr("Yours"), .rows = {}};
    addText(own, tr("Tags"), tags.join(QStringLiteral(", ")));
    if (row.starred) addText(own, tr("Star"), tr("yes"));
    addText(own, tr("Note"), shown(row.note));
    facts.sections.append(own);
    facts.sections.removeIf([](const Facts::Section& section) { return section.rows.isEmpty(); });
    return facts;
}

store::RunRow rowOf(const RunState& state) {
    store::RunRow row;
    row.id = state.run;
    row.name = state.title.isEmpty() ? study::titleOf(state.study) : state.title.toStdString();
    // As the history names what a run is about.
    row.models = joined(state.study.models.empty() ? state.study.workloads : state.study.models, ", ");
    row.hardware = joined(state.study.hardware, ", ");
    row.engine = state.study.engine;
    row.seed = state.study.seed;
    row.status = state.status;
    row.headline = state.result != nullptr ? study::headline(*state.result) : state.problem.toStdString();
    if (state.result != nullptr) row.version = state.result->version;
    return row;
}

}  // namespace tessera::ui
