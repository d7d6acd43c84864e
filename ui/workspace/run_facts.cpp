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
using namespace Qt::StringLiterals;

namespace {

constexpr std::size_t kMaxMetrics = 16;

QString valueText(const Json& value, Measure measure = Measure::count) {
    if (value.is_boolean()) return value.get<bool>() ? u"yes"_s : u"no"_s;
    if (value.is_string()) return shown(value.get_ref<const std::string&>());
    if (value.is_number())
        return toQt(measure == Measure::count ? formatCount(value.get<double>())
                                              : formatQuantity(value.get<double>(), measure));
    constexpr std::size_t kMaxParts = 16;
    if (value.size() > kMaxParts) return u"%1 entries"_s.arg(value.size());
    QStringList parts;
    for (const auto& [key, each] : value.items())
        parts.append(value.is_object() ? shown(key) + u" = "_s + valueText(each, measure) : valueText(each, measure));
    return parts.join(u", "_s);
}

void addText(Facts::Section& section, const QString& label, const QString& value) {
    if (!value.isEmpty()) section.rows.append({.label = label, .value = value});
}

Facts::Section outcomeFacts(const store::RunRow& row, const MetricKinds& kinds) {
    Facts::Section section{.title = u"What"_s, .rows = {}};
    addText(section, row.status == store::RunStatus::failed ? u"Problem"_s : u"Outcome"_s, shown(row.headline));
    addText(section, u"Damage"_s, shown(row.damage));
    addText(section, u"Model"_s, shown(row.models));
    addText(section, u"Hardware"_s, shown(row.hardware));
    for (const auto& [name, value] : row.metrics) {
        const QString metric = toQt(name);
        section.rows.append(
            {.label = kinds.title(metric), .value = kinds.text(metric, value), .exact = toQt(exactNumber(value))});
        if (section.rows.size() > static_cast<qsizetype>(kMaxMetrics)) break;
    }
    return section;
}

Facts::Section originFacts(const store::RunRow& row) {
    Facts::Section section{.title = u"When and where"_s, .rows = {}};
    if (row.started)
        addText(section, u"Started"_s, QDateTime::fromMSecsSinceEpoch(*row.started).toString(u"yyyy-MM-dd HH:mm:ss"_s));
    if (row.started && row.finished) addText(section, u"Took"_s, durationText(static_cast<double>(row.worked) / 1000));
    if (row.imported)
        addText(section, u"Imported"_s, u"from %1 on %2"_s.arg(shown(row.importedFrom), momentText(*row.imported)));
    addText(section, u"Program"_s, shown(row.version));
    addText(section, u"Computer"_s, shown(row.host));
    return section;
}

}  // namespace

Facts::Section parameterFacts(const study::Study& study) {
    Facts::Section section{.title = u"Parameters"_s, .rows = {}};
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
    if (study.seed) addText(section, u"Seed"_s, QString::number(*study.seed));
    return section;
}

Facts runFacts(const store::RunRow& row, const MetricKinds& kinds, const std::optional<study::Study>& study) {
    Facts facts;
    facts.title = row.name.empty() ? u"Run %1"_s.arg(row.id) : shown(row.name);
    facts.subtitle = row.id == 0 ? statusText(row.status) : u"Run %1 · %2"_s.arg(row.id).arg(statusText(row.status));
    facts.icon = statusIcon(row.status);
    facts.sections.append(outcomeFacts(row, kinds));
    if (study) facts.sections.append(parameterFacts(*study));
    if (!study && row.seed) addText(facts.sections.front(), u"Seed"_s, QString::number(*row.seed));
    facts.sections.append(originFacts(row));
    QStringList tags;
    for (const std::string& tag : row.tags) tags.append(shown(tag));
    Facts::Section own{.title = u"Yours"_s, .rows = {}};
    addText(own, u"Tags"_s, tags.join(u", "_s));
    if (row.starred) addText(own, u"Star"_s, u"yes"_s);
    addText(own, u"Note"_s, shown(row.note));
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
