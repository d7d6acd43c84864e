#include "ui/models/mapping_facts.h"

#include <QCoreApplication>
#include <algorithm>
#include <utility>
#include <vector>

#include "core/base/units.h"
#include "core/explain/explain.h"
#include "core/report/mapping_pictures.h"
#include "core/study/mapping_metrics.h"
#include "core/study/metric.h"
#include "ui/models/partition_run.h"
#include "ui/models/table_columns.h"
#include "ui/models/text.h"

namespace tessera::ui {

namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("MappingFacts", text);
}

std::size_t at(int index) {
    return static_cast<std::size_t>(index);
}

class Rows {
public:
    explicit Rows(const MappingChoice& choice, const QString& title)
        : run_(choice.run), prefix_(choice.chosen().algorithm + "/"), section_{title, {}} {}

    void text(const QString& label, const QString& value) {
        if (!value.isEmpty()) section_.rows.append({.label = label, .value = value});
    }
    void number(const QString& label, const QString& value, double exactly, const std::string& path = {}) {
        Facts::Row row{.label = label, .value = value, .exact = columns::exact(exactly)};
        if (!path.empty())
            row.explain = [run = run_, path = prefix_ + path] { return study::explain(run.result(), path); };
        section_.rows.append(row);
    }
    void cycles(const QString& label, double value, const std::string& path = {}) {
        number(label, run_.time(value), value, path);
    }
    const Facts::Section& section() const { return section_; }

private:
    MappingRun run_;
    std::string prefix_;
    Facts::Section section_;
};

/// What a job takes on every core, the fastest first; cores that are alike to it are told once.
Facts::Section elsewhere(const MappingChoice& choice, int job) {
    const mapping::Problem& problem = choice.run.problem();
    Rows rows(choice, tr("On every core"));
    std::vector<std::pair<double, int>> order;
    for (int core = 0; core < choice.run.coreCount(); ++core)
        order.emplace_back(problem.latency.at(problem.pair(at(job), at(core))), core);
    std::stable_sort(order.begin(), order.end());
    constexpr std::size_t kMost = 16;
    for (std::size_t i = 0; i < std::min(order.size(), kMost); ++i) {
        const auto [latency, core] = order[i];
        const double demand = problem.demand.at(problem.pair(at(job), at(core)));
        rows.number(choice.run.coreName(core), tr("%1, %2").arg(choice.run.time(latency), choice.run.bandwidth(demand)),
                    latency);
    }
    return rows.section();
}

}  // namespace

Facts jobFacts(const MappingChoice& choice, int job) {
    const mapping::Schedule::Job& place = choice.chosen().schedule.jobs.at(at(job));
    const mapping::Problem& problem = choice.run.problem();
    const std::size_t pair = problem.pair(at(job), at(place.core));
    const std::string path = "jobs[" + std::to_string(job) + "]/";
    Facts facts;
    facts.title = choice.run.jobName(job);
    facts.subtitle = tr("Job %1 of %2").arg(job).arg(choice.run.jobCount());
    facts.icon = QStringLiteral("timeline");
    Rows what(choice, tr("What"));
    what.text(tr("Model"), choice.run.jobModel(job));
    what.text(tr("Kind"), choice.run.jobKind(job));
    if (at(job) < problem.macs.size())
        what.number(tr("Multiply-adds"), columns::count(problem.macs[at(job)]), problem.macs[at(job)]);
    Rows where(choice, tr("Under %1").arg(choice.run.algorithm(choice.algorithm)));
    where.text(tr("Core"), choice.run.coreName(place.core));
    where.text(tr("Place on it"), QString::number(place.order + 1));
    where.cycles(tr("Starts"), place.start, path + "start_cycles");
    where.cycles(tr("Finishes"), place.finish, path + "finish_cycles");
    where.cycles(tr("Takes"), place.finish - place.start);
    where.cycles(tr("Alone it would take"), problem.latency[pair], path + "nostall_latency_cycles");
    if (problem.latency[pair] > 0) {
        const double slowed = (place.finish - place.start) / problem.latency[pair];
        where.number(tr("Slowed down"), QString::fromStdString(study::timesText(slowed)), slowed);
    }
    where.number(tr("Asks for"), choice.run.bandwidth(problem.demand[pair]), problem.demand[pair],
                 path + "req_bw_bytes_per_cycle");
    facts.sections = {what.section(), where.section(), elsewhere(choice, job)};
    facts.sections.removeIf([](const Facts::Section& section) { return section.rows.isEmpty(); });
    return facts;
}

Facts coreFacts(const MappingChoice& choice, int core) {
    const study::CoreUse& use = choice.uses.at(at(core));
    const double makespan = choice.chosen().schedule.makespan;
    Facts facts;
    facts.title = choice.run.coreName(core);
    facts.subtitle = tr("Core %1 of %2").arg(core).arg(choice.run.coreCount());
    facts.icon = QStringLiteral("hardware");
    if (at(core) < choice.run.outcome().cores.size()) {
        const study::CoreNumbers& numbers = choice.run.outcome().cores[at(core)];
        Rows what(choice, tr("What"));
        what.text(tr("Dataflow"), shownText(numbers.dataflow));
        if (numbers.height > 0)
            what.text(tr("Array"), QStringLiteral("%1 × %2").arg(numbers.height).arg(numbers.width));
        if (numbers.flexible) what.text(tr("Shape"), tr("chosen for every job"));
        if (numbers.local.value > 0)
            what.text(tr("Buffer of an element"), columns::quantity(numbers.local.value, Measure::bytes));
        if (numbers.shared.value > 0)
            what.text(tr("Shared buffer"), columns::quantity(numbers.shared.value, Measure::bytes));
        if (!what.section().rows.isEmpty()) facts.sections.append(what.section());
    }
    Rows rows(choice, tr("Under %1").arg(choice.run.algorithm(choice.algorithm)));
    rows.text(tr("Jobs"), columns::count(static_cast<double>(use.jobs)));
    rows.cycles(tr("Runs"), use.alone);
    rows.cycles(tr("Waits for bandwidth"), use.stalled);
    rows.cycles(tr("Idle at the end"), use.idle);
    const double share = makespan > 0 ? use.alone / makespan : 0;
    rows.number(tr("Utilisation"), QString::fromStdString(study::percentText(share)), share);
    rows.number(tr("Moves"), columns::quantity(use.bytes, Measure::bytes), use.bytes);
    facts.sections.append(rows.section());
    return facts;
}

Facts algorithmFacts(const MappingChoice& choice) {
    const mapping::Run& run = choice.chosen();
    Facts facts;
    facts.title = choice.run.algorithmTitle(choice.algorithm);
    facts.subtitle = QString::fromStdString(study::certaintyText(run));
    facts.icon = QStringLiteral("run");
    facts.note = choice.run.algorithmHelp(choice.algorithm);
    facts.ofWhole = true;
    Rows rows(choice, tr("Its best mapping"));
    rows.cycles(tr("Makespan"), run.values.makespan, "makespan_cycles");
    if (const auto rate = report::throughputOf(choice.run.outcome(), run.values.makespan);
        rate && choice.run.problem().clock)
        rows.number(tr("Throughput"), columns::quantity(*rate, Measure::flopsPerSecond), *rate, "throughput_flops");
    rows.cycles(tr("Mean finish of a job"), run.values.latency, "mean_finish_cycles");
    if (run.values.energy)
        rows.number(tr("Energy"), QString::fromStdString(formatQuantity(*run.values.energy, Measure::joules)),
                    *run.values.energy, "energy_j");
    rows.number(tr("Gap to the bound"), QString::fromStdString(study::percentText(run.gap)), run.gap, "gap");
    rows.text(tr("Samples"), columns::count(static_cast<double>(run.samples)));
    rows.text(tr("Best known after"), columns::count(static_cast<double>(run.bestAfter)));
    facts.sections = {rows.section()};
    if (const std::string variants = study::variantsSentence(choice.run.outcome()); !variants.empty())
        facts.note += QLatin1Char(' ') + QString::fromStdString(variants);
    return facts;
}

}  // namespace tessera::ui
