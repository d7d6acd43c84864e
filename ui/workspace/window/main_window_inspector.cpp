#include <QFileInfo>
#include <QPointer>
#include <QTimer>
#include <algorithm>
#include <map>
#include <string_view>

#include "ui/editors/study_document.h"
#include "ui/editors/study_form.h"
#include "ui/models/background.h"
#include "ui/models/engine_words.h"
#include "ui/models/text.h"
#include "ui/views/runs/compare_document.h"
#include "ui/views/runs/report_document.h"
#include "ui/views/runs/run_document.h"
#include "ui/workspace/history/run_loader.h"
#include "ui/workspace/inspector_panel.h"
#include "ui/workspace/run_facts.h"
#include "ui/workspace/selection_pane.h"
#include "ui/workspace/window/main_window_parts.h"
#include "ui/workspace/words.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

constexpr int kSettleMilliseconds = 150;
constexpr std::size_t kMaxCompared = 12;  ///< runs of a comparison

Facts runsFacts(const QString& title, const std::vector<store::RunRow>& rows) {
    Facts facts{.title = title,
                .subtitle = rows.size() == 1 ? u"1 run"_s : u"%1 runs"_s.arg(rows.size()),
                .icon = u"compare"_s};
    for (const store::RunRow& row : rows) {
        if (static_cast<std::size_t>(facts.sections.size()) == kMaxCompared) break;
        Facts::Section section{.title = row.name.empty() ? u"Run %1"_s.arg(row.id) : shown(row.name), .rows = {}};
        section.rows.append({.label = u"Outcome"_s, .value = shown(row.headline)});
        section.rows.append({.label = u"Model"_s, .value = shown(row.models)});
        section.rows.append({.label = u"Hardware"_s, .value = shown(row.hardware)});
        if (row.started) section.rows.append({.label = u"Started"_s, .value = momentText(*row.started)});
        facts.sections.append(section);
    }
    if (rows.size() > kMaxCompared) facts.note = u"and %1 more"_s.arg(rows.size() - kMaxCompared);
    return facts;
}

/// The set-up of a study and what it will take. Reads its inputs: call it off the UI thread.
Facts studyFacts(const study::Study& study) {
    const study::Estimate estimate = study::estimate(study);
    Facts facts;
    facts.icon = u"study"_s;
    const auto joinedText = [](const std::vector<std::string>& names) {
        QStringList all;
        for (const std::string& name : names) all.append(shown(name));
        return all.isEmpty() ? u"not chosen yet"_s : all.join(u", "_s);
    };
    const std::map<std::string_view, const std::vector<std::string>*> lists{
        {"models", &study.models}, {"workloads", &study.workloads}, {"hardware", &study.hardware}};
    Facts::Section inputs{.title = u"Inputs"_s, .rows = {}};
    for (const InputSlot& slot : inputSlots(study.engine))
        inputs.rows.append({.label = slot.label, .value = joinedText(*lists.at(slot.list))});
    facts.sections.append(inputs);
    facts.sections.append(parameterFacts(study));
    if (estimate.problems.empty() && !estimate.text.empty())
        facts.sections.append(
            Facts::Section{.title = u"Estimate"_s, .rows = {{.label = u"Work"_s, .value = shown(estimate.text)}}});
    Facts::Section problems{.title = u"Before it can run"_s, .rows = {}};
    for (const std::string& problem : estimate.problems)
        problems.rows.append({.label = u"Problem"_s, .value = shown(problem)});
    if (!problems.rows.isEmpty()) facts.sections.append(problems);
    return facts;
}

/// As studies name the hardware of a document: "fleet/NAME" or a file.
QString hardwareName(const QString& key) {
    return QFileInfo(key).isAbsolute() ? key : key.section(QLatin1Char('/'), 1);
}

}  // namespace

/// What is selected in a document, or (no title) that nothing is.
void MainWindow::Implementation::inspected(Document* document, const Facts& facts) {
    if (!inspections.contains(document))
        QObject::connect(document, &QObject::destroyed, context.get(),
                         [this](QObject* gone) { inspections.remove(gone); });
    Inspection& known = inspections[document];
    known.selected = facts.ofWhole ? Facts{} : facts;
    if (facts.ofWhole) known.part = facts;
    const bool hasSelection = !known.selected.title.isEmpty();
    if (hasSelection) inspectorPane->selectedIn(*document);
    if (document == area->current() || (hasSelection && document->isVisible())) showFacts(document);
}

void MainWindow::Implementation::showFacts(Document* document) {
    const quint64 request = ++factsRequests;
    if (document == nullptr) {
        inspector->setFacts({});
        return;
    }
    const Inspection known = inspections.value(document);
    if (!known.selected.title.isEmpty()) {
        inspector->setFacts(known.selected);
        return;
    }
    askOverview(document, [this, request, part = known.part](Facts facts) {
        if (request != factsRequests) return;  // something else is shown by now
        qsizetype at = std::min<qsizetype>(1, facts.sections.size());
        for (Facts::Section section : part.sections) {
            if (section.title == part.sections.front().title)
                section.title = u"%1: %2"_s.arg(section.title, part.title);
            facts.sections.insert(at++, section);
        }
        inspector->setFacts(facts);
    });
}

/// Once for many changes.
void MainWindow::Implementation::showFactsSoon() {
    if (factsTimer == nullptr) {
        factsTimer = new QTimer(context.get());
        factsTimer->setSingleShot(true);
        factsTimer->setInterval(kSettleMilliseconds);
        QObject::connect(factsTimer, &QTimer::timeout, context.get(), [this] {
            // What is selected stays as it is.
            if (inspections.value(area->current()).selected.title.isEmpty()) showFacts(area->current());
        });
    }
    factsTimer->start();
}

/// The document's own overview, or what the history and the engines know of it; may come later.
void MainWindow::Implementation::askOverview(Document* document, const std::function<void(Facts)>& answer) {
    if (auto* run = qobject_cast<RunDocument*>(document)) return askRunFacts(*run, answer);
    if (auto* study = qobject_cast<StudyDocument*>(document)) return askStudyFacts(*study, answer);
    const bool compares = qobject_cast<CompareDocument*>(document) != nullptr;
    const QString key = document->key();
    if (!compares && qobject_cast<ReportDocument*>(document) == nullptr) {
        Facts facts = document->overview();
        const bool isHardware = document->kind() == QLatin1String("hardware") && !facts.title.isEmpty() &&
                                !key.startsWith(QLatin1String("new/"));
        for (const auto& study : studiesOn(isHardware ? document->iconName() : QString()))
            facts.actions.append({study.second, u"study"_s,
                                  [this, key, engine = study.first->id] { newStudy({}, hardwareName(key), engine); }});
        answer(facts);
        return;
    }
    history->ask<std::vector<store::RunRow>>(
        document,
        [runs = runNumbers(key)](store::Store& store) {
            std::vector<store::RunRow> rows;
            for (const store::RunId run : runs)
                if (std::optional<store::RunRow> row = store.run(run)) rows.push_back(std::move(*row));
            return rows;
        },
        [this, answer, key, compares](const std::vector<store::RunRow>& rows) {
            Facts facts = runsFacts(compares ? u"Comparison"_s : u"Report"_s, rows);
            if (compares) facts.actions.append({u"Report"_s, u"report"_s, [this, key] { open(u"report"_s, key); }});
            answer(facts);
        });
}

void MainWindow::Implementation::askRunFacts(RunDocument& document, const std::function<void(Facts)>& answer) {
    const RunState state = document.state();
    if (state.run == 0 && state.job == 0) return answer({});  // not read yet
    const QPointer<RunDocument> guard(&document);
    const auto complete = [this, guard, answer](store::RunRow row, const std::optional<study::Study>& study) {
        if (!guard) return;
        // What works in this window knows its state better than the history, which is updated a little later.
        if (guard->state().job != 0) row.status = guard->state().status;
        Facts facts = runFacts(row, {}, study);
        const auto add = [&](const QString& title, const char* icon, void (Implementation::*act)(RunDocument&)) {
            facts.actions.append({title, QLatin1String(icon), [this, guard, act] {
                                      if (guard) (this->*act)(*guard);
                                  }});
        };
        add(u"Run again"_s, "run", &Implementation::runAgain);
        add(u"Open its study"_s, "study", &Implementation::openStudyOfDocument);
        if (guard->state().result != nullptr) {
            add(u"Compare with…"_s, "compare", &Implementation::compareDocument);
            add(u"Report"_s, "report", &Implementation::reportDocument);
        }
        answer(facts);
    };
    if (state.run == 0) {
        complete(rowOf(state), state.study);
        return;
    }
    struct Stored {
        std::optional<store::RunRow> row;
        std::optional<study::Study> study;
    };
    history->ask<Stored>(
        &document,
        [run = state.run](store::Store& store) {
            Stored stored{.row = store.run(run), .study = std::nullopt};
            if (stored.row) stored.study = store.study(run);
            return stored;
        },
        [complete, state](const Stored& stored) { complete(stored.row ? *stored.row : rowOf(state), stored.study); });
}

void MainWindow::Implementation::askStudyFacts(StudyDocument& document, const std::function<void(Facts)>& answer) {
    const study::Study study = document.study();
    if (study.engine.empty()) return answer({});  // not read yet
    const QPointer<StudyDocument> guard(&document);
    inBackground(
        &document, [study] { return studyFacts(study); },
        [answer, guard](Facts facts) {
            facts.title = guard->title();
            facts.subtitle = u"Study"_s;
            facts.actions.append({u"Run"_s, u"run"_s, [guard] {
                                      if (guard) guard->requestRun();
                                  }});
            answer(facts);
        },
        [answer](const QString& /*problem*/) { answer({}); });
}

/// A run of the history is repeated with the inputs that it had, whatever became of their files.
void MainWindow::Implementation::runAgain(RunDocument& document) {
    if (document.state().run != 0 && history->isOpen())
        openJob(jobs->repeat(document.state().run));
    else
        run(toQt(toText(study::toJson(document.state().study))));
}

void MainWindow::Implementation::openStudyOfDocument(RunDocument& document) {
    emit document.openRequested(u"study"_s, keyOfRun(document));
}

void MainWindow::Implementation::compareDocument(RunDocument& document) {
    open(u"compare"_s, comparedAs(document));
}

void MainWindow::Implementation::reportDocument(RunDocument& document) {
    open(u"report"_s, comparedAs(document));
}

}  // namespace tessera::ui
