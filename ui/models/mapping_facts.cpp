#include "ui/models/mapping_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "core/base/number.h"
#include "core/base/units.h"
#include "core/study/mapping/fields.h"
#include "core/study/mapping/metrics.h"
#include "core/study/metric.h"
#include "ui/models/field_columns.h"
#include "ui/models/partition_run.h"
#include "ui/models/text.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

QString vSplit(const MappingChoice& choice) {
    return u"Under %1"_s.arg(choice.run.algorithm(choice.algorithm));
}

/// What a job takes on every core, the fastest first; cores that are alike to it are listed once.
Facts::Section elsewhere(const MappingChoice& choice, int job) {
    const mapping::Problem& problem = choice.run.problem();
    Facts::Section section{u"On every core"_s, {}};
    std::vector<std::pair<double, int>> order;
    for (int core = 0; core < choice.run.coreCount(); ++core)
        order.emplace_back(problem.latency.at(problem.pair(toIndex(job), toIndex(core))), core);
    std::stable_sort(order.begin(), order.end());
    constexpr std::size_t kMax = 16;
    for (std::size_t i = 0; i < std::min(order.size(), kMax); ++i) {
        const auto [latency, core] = order[i];
        const double requiredBandwidth = problem.requiredBandwidth.at(problem.pair(toIndex(job), toIndex(core)));
        section.rows.append(
            {.label = choice.run.coreName(core),
             .value = u"%1, %2"_s.arg(choice.run.time(latency), choice.run.bandwidth(requiredBandwidth)),
             .exact = columns::exact(latency)});
    }
    return section;
}

}  // namespace

Facts jobFacts(const MappingChoice& choice, int job) {
    Facts facts{.title = choice.run.jobName(job),
                .subtitle = u"Job %1 of %2"_s.arg(job).arg(choice.run.jobCount()),
                .icon = u"timeline"_s};
    const study::MappedJob row{&choice.run.outcome(), &choice.chosen(), toIndex(job)};
    const std::string path = fmt::format("{}/jobs[{}]", choice.chosen().algorithm, job);
    const auto sectionOf = [&](const QString& title, study::FieldUse use) {
        return columns::factsOf(title, study::jobFields(), row, choice.run.shared(), path, use);
    };
    facts.sections = {sectionOf(u"What"_s, study::kWhat), sectionOf(vSplit(choice), study::kFacts),
                      elsewhere(choice, job)};
    facts.sections.removeIf([](const Facts::Section& section) { return section.rows.isEmpty(); });
    return facts;
}

Facts coreFacts(const MappingChoice& choice, int core) {
    Facts facts{.title = choice.run.coreName(core),
                .subtitle = u"Core %1 of %2"_s.arg(core).arg(choice.run.coreCount()),
                .icon = u"hardware"_s};
    const study::MappedCore row{&choice.run.outcome(), &choice.chosen(), toIndex(core), choice.uses.at(toIndex(core))};
    const auto sectionOf = [&](const QString& title, study::FieldUse use) {
        return columns::factsOf(title, study::coreFields(), row, choice.run.shared(), "", use);
    };
    facts.sections = {sectionOf(u"What"_s, study::kWhat), sectionOf(vSplit(choice), study::kFacts)};
    facts.sections.removeIf([](const Facts::Section& section) { return section.rows.isEmpty(); });
    return facts;
}

Facts algorithmFacts(const MappingChoice& choice) {
    const mapping::Run& run = choice.chosen();
    Facts facts{.title = choice.run.algorithmTitle(choice.algorithm),
                .subtitle = toQt(study::certaintyText(run)),
                .icon = u"run"_s,
                .sections = {columns::factsOf(u"Its best mapping"_s, study::runFields(),
                                              study::MappedRun{&choice.run.outcome(), &run}, choice.run.shared(),
                                              run.algorithm)},
                .note = choice.run.algorithmHelp(choice.algorithm),
                .ofWhole = true};
    if (const std::string variants = study::variantsSentence(choice.run.outcome()); !variants.empty())
        facts.note += QLatin1Char(' ') + toQt(variants);
    return facts;
}

}  // namespace tessera::ui
