#include "ui/models/mapping_tables.h"

#include <QCoreApplication>
#include <cmath>

#include "core/draw/theme.h"
#include "core/report/mapping_pictures.h"
#include "core/study/metric.h"
#include "ui/models/partition_run.h"
#include "ui/models/table_columns.h"
#include "ui/models/text.h"

namespace tessera::ui {

namespace {

using columns::colourBy;
using columns::count;
using columns::number;
using columns::words;
using mapping::Run;
using Column = TableModel::Column;

QString tr(const char* text) {
    return QCoreApplication::translate("MappingTables", text);
}

std::size_t at(int index) {
    return static_cast<std::size_t>(index);
}

std::function<QString(int)> runPath(const SharedMappingChoice& choice, const char* field) {
    return [choice, field](int row) {
        return QString::fromStdString(choice->run.run(row).algorithm) + QLatin1Char('/') + QLatin1String(field);
    };
}

/// Cycles, told as time where the clock is known.
Column time(const SharedMappingChoice& choice, const QString& title, std::function<double(int)> cycles,
            std::function<QString(int)> path, const QString& help = {}) {
    Column column = number(title, Measure::count, cycles, std::move(path), help);
    column.text = [choice, cycles](int row) { return choice->run.time(cycles(row)); };
    return column;
}

Column whole(const QString& title, std::function<double(int)> value, const QString& help = {}) {
    Column column = number(title, Measure::count, value, {}, help);
    column.text = [value](int row) { return count(value(row)); };
    return column;
}

Column share(const QString& title, std::function<double(int)> value, const QString& help = {}) {
    Column column = number(title, Measure::count, value, {}, help);
    column.text = [value](int row) { return QString::fromStdString(study::percentText(value(row))); };
    return column;
}

QString certaintyOf(const Run& run) {
    return QString::fromStdString(study::certaintyText(run));
}

struct Ending {
    const char* id;
    const char* words;
};
constexpr Ending kEndings[] = {
    {"proof", QT_TRANSLATE_NOOP("MappingTables", "proven")},
    {"samples", QT_TRANSLATE_NOOP("MappingTables", "samples spent")},
    {"done", QT_TRANSLATE_NOOP("MappingTables", "nothing more to try")},
    {"stop", QT_TRANSLATE_NOOP("MappingTables", "stopped")},
};

QString endingOf(const Run& run) {
    for (const Ending& row : kEndings)
        if (run.endedBy == row.id) return tr(row.words);
    return shownText(run.endedBy);
}

const mapping::Schedule::Job& placeOf(const SharedMappingChoice& choice, int job) {
    return choice->chosen().schedule.jobs.at(at(job));
}

std::size_t pairOf(const SharedMappingChoice& choice, int job) {
    return choice->run.problem().pair(at(job), at(placeOf(choice, job).core));
}

}  // namespace

TableModel* algorithmTableModel(const SharedMappingChoice& choice, QObject* parent) {
    const auto run = [choice](int row) -> const Run& { return choice->run.run(row); };
    Column name = words(tr("Algorithm"), [choice](int row) { return choice->run.algorithm(row); });
    colourBy(name, [run](int row) {
        const std::string_view colour = report::strategyColour(run(row).algorithm);
        return QString::fromUtf8(colour.data(), static_cast<qsizetype>(colour.size()));
    });
    Column rate = number(
        tr("Throughput"), Measure::flopsPerSecond,
        [choice, run](int row) {
            return report::throughputOf(choice->run.outcome(), run(row).values.makespan).value_or(NAN);
        },
        runPath(choice, "throughput_flops"), tr("Twice the multiplications and additions over the makespan"));
    rate.text = [choice, run](int row) {
        const auto value = report::throughputOf(choice->run.outcome(), run(row).values.makespan);
        if (!value) return QStringLiteral("–");
        return choice->run.problem().clock ? columns::quantity(*value, Measure::flopsPerSecond)
                                           : count(*value) + QStringLiteral(" FLOP/cycle");
    };
    Column gap = share(
        tr("Above bound"), [run](int row) { return run(row).gap; }, tr("No mapping can be better than the bound"));
    gap.decoration = [path = runPath(choice, "gap")](int row, int role) {
        return role == PathRole ? QVariant(path(row)) : QVariant();
    };
    Column energy = number(
        tr("Energy"), Measure::joules, [run](int row) { return run(row).values.energy.value_or(NAN); },
        runPath(choice, "energy_j"));
    return new TableModel(
        {name,
         time(
             choice, tr("Makespan"), [run](int row) { return run(row).values.makespan; },
             runPath(choice, "makespan_cycles"), tr("Until the last job has finished")),
         rate, gap, words(tr("Certainty"), [run](int row) { return certaintyOf(run(row)); }),
         time(
             choice, tr("Mean finish"), [run](int row) { return run(row).values.latency; },
             runPath(choice, "mean_finish_cycles"), tr("Mean completion time")),
         energy, whole(tr("Samples"), [run](int row) { return static_cast<double>(run(row).samples); }),
         whole(
             tr("Best after"), [run](int row) { return static_cast<double>(run(row).bestAfter); },
             tr("Samples until the best mapping was known")),
         words(tr("Ended"), [run](int row) { return endingOf(run(row)); })},
        parent);
}

TableModel* jobTableModel(const SharedMappingChoice& choice, QObject* parent) {
    const auto path = [choice](const char* field) {
        return [choice, field](int row) {
            return QStringLiteral("%1/jobs[%2]/%3")
                .arg(QString::fromStdString(choice->chosen().algorithm))
                .arg(row)
                .arg(QLatin1String(field));
        };
    };
    const auto place = [choice](int row) -> const mapping::Schedule::Job& { return placeOf(choice, row); };
    Column demand = number(
        tr("Bandwidth"), Measure::count,
        [choice](int row) { return choice->run.problem().demand.at(pairOf(choice, row)); },
        path("req_bw_bytes_per_cycle"), tr("That it asks for while it runs"));
    demand.text = [choice](int row) {
        return choice->run.bandwidth(choice->run.problem().demand.at(pairOf(choice, row)));
    };
    Column order = whole(
        tr("Place"), [place](int row) { return place(row).order + 1.0; }, tr("On its core, from 1"));
    Column number_ = whole(
        tr("#"), [](int row) { return row; }, tr("Number of the job"));
    number_.text = [](int row) { return QString::number(row); };
    Column core = words(tr("Core"), [choice, place](int row) { return choice->run.coreName(place(row).core); });
    core.sort = [place](int row) { return QVariant(place(row).core); };
    core.exact = [choice, place](int row) { return choice->run.coreName(place(row).core); };
    Column slowed = number(
        tr("Slowed down"), Measure::count,
        [choice, place](int row) {
            const double alone = choice->run.problem().latency.at(pairOf(choice, row));
            return alone > 0 ? (place(row).finish - place(row).start) / alone : 1;
        },
        {}, tr("By waiting for bandwidth: 1 = never stalled"));
    slowed.text = [sort = slowed.sort](int row) {
        return QString::fromStdString(study::timesText(sort(row).toDouble()));
    };
    return new TableModel(
        {number_, words(tr("Job"), [choice](int row) { return choice->run.jobName(row); }),
         words(tr("Model"), [choice](int row) { return choice->run.jobModel(row); }),
         words(tr("Kind"), [choice](int row) { return choice->run.jobKind(row); }), core, order,
         time(
             choice, tr("Start"), [place](int row) { return place(row).start; }, path("start_cycles")),
         time(
             choice, tr("Finish"), [place](int row) { return place(row).finish; }, path("finish_cycles")),
         time(
             choice, tr("Alone"), [choice](int row) { return choice->run.problem().latency.at(pairOf(choice, row)); },
             path("nostall_latency_cycles"), tr("What it takes on this core without stalls")),
         slowed, demand},
        parent);
}

TableModel* coreTableModel(const SharedMappingChoice& choice, QObject* parent) {
    const auto use = [choice](int row) -> const study::CoreUse& { return choice->uses.at(at(row)); };
    const auto numbers = [choice](int row) -> const study::CoreNumbers* {
        const auto& cores = choice->run.outcome().cores;
        return at(row) < cores.size() ? &cores[at(row)] : nullptr;
    };
    Column name = words(tr("Core"), [choice](int row) { return choice->run.coreName(row); });
    name.sort = [](int row) { return QVariant(row); };
    name.exact = name.text;
    Column array = words(tr("Array"), [numbers](int row) {
        const study::CoreNumbers* const its = numbers(row);
        if (its == nullptr || its->height <= 0) return QStringLiteral("–");
        return QStringLiteral("%1 × %2").arg(its->height).arg(its->width) +
               (its->flexible ? tr(", flexible") : QString());
    });
    Column jobs = whole(tr("Jobs"), [use](int row) { return static_cast<double>(use(row).jobs); });
    jobs.summed = true;
    Column bytes = number(
        tr("Bytes"), Measure::bytes, [use](int row) { return use(row).bytes; }, {}, tr("That its jobs move"));
    bytes.summed = true;
    bytes.sumText = [](double sum) { return columns::quantity(sum, Measure::bytes); };
    Column peak = number(
        tr("Peak demand"), Measure::count, [use](int row) { return use(row).peak; }, {},
        tr("The most bandwidth that one of its jobs asks for"));
    peak.text = [choice, use](int row) { return choice->run.bandwidth(use(row).peak); };
    return new TableModel(
        {name,
         words(tr("Dataflow"),
               [numbers](int row) {
                   return numbers(row) == nullptr || numbers(row)->dataflow.empty() ? QStringLiteral("–")
                                                                                    : shownText(numbers(row)->dataflow);
               }),
         array, jobs,
         time(
             choice, tr("Runs"), [use](int row) { return use(row).alone; }, {}, tr("Without stalls")),
         time(
             choice, tr("Stalls"), [use](int row) { return use(row).stalled; }, {}, tr("Waiting for bandwidth")),
         time(
             choice, tr("Idle"), [use](int row) { return use(row).idle; }, {}, tr("After its last job")),
         share(
             tr("Utilisation"),
             [choice, use](int row) {
                 const double makespan = choice->chosen().schedule.makespan;
                 return makespan > 0 ? use(row).alone / makespan : 0;
             },
             tr("Share of the makespan that it runs without stalls")),
         bytes, peak},
        parent);
}

}  // namespace tessera::ui
