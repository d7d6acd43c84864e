#include <QApplication>
#include <QFileInfo>
#include <QPointer>
#include <QUndoStack>
#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "core/base/text.h"
#include "core/study/mapping/study.h"
#include "core/study/study.h"
#include "ui/editors/editor_document.h"
#include "ui/editors/hardware_document.h"
#include "ui/editors/study_document.h"
#include "ui/models/background.h"
#include "ui/models/document_keys.h"
#include "ui/models/text.h"
#include "ui/views/runs/compare_document.h"
#include "ui/views/runs/model_document.h"
#include "ui/views/runs/report_document.h"
#include "ui/views/runs/run_document.h"
#include "ui/views/runs/validation_document.h"
#include "ui/views/workbench/points_document.h"
#include "ui/workspace/guide_document.h"
#include "ui/workspace/history/history_document.h"
#include "ui/workspace/history/importer.h"
#include "ui/workspace/history/run_loader.h"
#include "ui/workspace/inspector_panel.h"
#include "ui/workspace/library_watcher.h"
#include "ui/workspace/questions.h"
#include "ui/workspace/run_facts.h"
#include "ui/workspace/welcome_document.h"
#include "ui/workspace/window/main_window_parts.h"
#include "ui/workspace/words.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

constexpr std::int64_t kLatestRuns = 20;
const QString kRunPrefix = u"run/"_s;
const QString kJobPrefix = u"job/"_s;

store::RunId runOf(const QString& key) {
    return key.startsWith(kRunPrefix) ? key.section(QLatin1Char('/'), 1, 1).toLongLong() : 0;
}

int jobOf(const QString& key) {
    return key.startsWith(kJobPrefix) ? key.section(QLatin1Char('/'), 1, 1).toInt() : 0;
}

/// The study of a run; where the key says so, the one that searches on from its result.
study::Study studyOf(const QString& key, study::Study study, const study::Result* result) {
    return isSearchedOn(key) && result != nullptr ? study::continuationOf(*result) : std::move(study);
}

bool isFile(const QString& key) {
    return QFileInfo(key).isAbsolute();
}

constexpr std::size_t kMostPoints = 10'000;  ///< runs that are shown as points

bool isOfRuns(const QString& kind) {
    return kind == QLatin1String("compare") || kind == QLatin1String("report");
}

template <typename Kind>
Document* makeOfKey(MainWindow& /*window*/, const QString& key) {
    return new Kind(key);
}

Document* makeWelcome(MainWindow& /*window*/, const QString& /*key*/) {
    return new WelcomeDocument;
}

/// What a job came to. One that was taken off the list is known by its page, as long as that is open; else by nothing.
RunState stateOfJob(MainWindow& window, int job) {
    RunState state = window.jobs().state(job);
    if (!state.study.engine.empty()) return state;
    for (const RunDocument* page : window.findChildren<RunDocument*>())
        if (jobOf(page->key()) == job) state = page->state();
    return state;
}

/// A study by its key, or that of a job.
Document* makeStudy(MainWindow& window, const QString& key) {
    const RunState state = jobOf(key) == 0 ? RunState{} : stateOfJob(window, jobOf(key));
    // A job that nobody knows any more is a key like others, and its page says that nothing is there.
    if (state.study.engine.empty()) return new StudyDocument(key);
    return new StudyDocument(studyOf(key, state.study, state.result.get()), key);
}

Document* makeHistory(MainWindow& window, const QString& /*key*/) {
    return new HistoryDocument(window.history());
}

}  // namespace

const QVector<DocumentKind>& documentKinds() {
    static const QVector<DocumentKind> kKinds{
        {u"welcome"_s, makeWelcome},
        {u"model"_s, makeOfKey<ModelDocument>},
        {u"hardware"_s, makeOfKey<HardwareDocument>},
        {u"study"_s, makeStudy},
        {u"run"_s, makeOfKey<RunDocument>},
        {u"compare"_s, makeOfKey<CompareDocument>},
        {u"points"_s, makeOfKey<PointsDocument>},
        {u"report"_s, makeOfKey<ReportDocument>},
        {u"validation"_s, makeOfKey<ValidationDocument>},
        {u"history"_s, makeHistory},
        {u"guide"_s, makeOfKey<GuideDocument>},
    };
    return kKinds;
}

QString keyOfRun(const RunDocument& document) {
    const store::RunId run = document.state().run;
    return run != 0 ? kRunPrefix + QString::number(run) : document.key();
}

QString comparedAs(const RunDocument& document) {
    const store::RunId run = document.state().run;
    return run != 0 ? QString::number(run) : document.key();
}

Document* MainWindow::Implementation::open(const QString& kind, const QString& givenKey) {
    QString key = givenKey;
    // A run that still works is shown live, however it is asked for.
    if (kind == QLatin1String("run"))
        for (const int job : jobs->jobs())
            if (const RunState state = jobs->state(job);
                state.run != 0 && state.run == runOf(key) &&
                (isWorking(state.status) || area->find(kind, kJobPrefix + QString::number(job)) != nullptr))
                key = kJobPrefix + QString::number(job);
    if (Document* present = area->find(kind, key)) {
        area->bringToFront(present);
        return present;
    }
    if (kind == QLatin1String("calibration")) return open(u"study"_s, calibrationKey(currentModel()));
    if (kind == QLatin1String("study") && runOf(key) != 0) {
        openStudyOf(key);
        return nullptr;
    }
    if (kind == QLatin1String("compare") && !key.isEmpty() && !key.contains(QLatin1Char(','))) {
        askForOthers(key);
        return nullptr;
    }
    Document* document = make(kind, key);
    if (document == nullptr) {
        say(MessagesPanel::Tone::error, u"There is nothing to open as '%1'."_s.arg(kind.left(64)));
        return nullptr;
    }
    area->add(document);
    if (isFile(key)) recent.add(kind, key);
    return document;
}

Document* MainWindow::Implementation::make(const QString& kind, const QString& key) {
    if (kind == QLatin1String("study") && runOf(key) != 0) {
        openStudyOf(key);
        return nullptr;
    }
    const auto row = std::find_if(options.documents.begin(), options.documents.end(),
                                  [&](const DocumentKind& each) { return each.id == kind; });
    if (row == options.documents.end()) return nullptr;
    Document* document = row->make(window, key);
    connectDocument(document);
    connectKind(document);
    return document;
}

/// What documents of some kinds are told, or ask for, besides.
void MainWindow::Implementation::connectKind(Document* document) {
    if (auto* welcome = qobject_cast<WelcomeDocument*>(document)) {
        welcome->setRecent(recent.entries());
        QObject::connect(&recent, &RecentFiles::changed, welcome,
                         [this, welcome] { welcome->setRecent(recent.entries()); });
    }
    if (auto* runs = qobject_cast<HistoryDocument*>(document)) {
        QObject::connect(runs, &HistoryDocument::repeatRequested, context.get(),
                         [this](store::RunId run) { openJob(jobs->repeat(run)); });
        QObject::connect(runs, &HistoryDocument::resumeRequested, context.get(),
                         [this](store::RunId run) { openJob(jobs->resume(run)); });
    }
    if (auto* run = qobject_cast<RunDocument*>(document)) {
        connectRun(run);
        feedRun(run);
    }
    feedRuns(document);
    if (auto* model = qobject_cast<ModelDocument*>(document))
        QObject::connect(model, &ModelDocument::overlayWanted, context.get(), [this, model] { askForColours(model); });
}

void MainWindow::Implementation::connectDocument(Document* document) {
    QObject::connect(document, &Document::openRequested, context.get(),
                     [this, document](const QString& kind, const QString& key) {
                         // A run that is not kept has no number: what is about it knows it by its job.
                         const auto* asking = qobject_cast<RunDocument*>(document);
                         const bool byJob = asking != nullptr && key.isEmpty() && isOfRuns(kind);
                         open(kind, byJob ? comparedAs(*asking) : key);
                     });
    QObject::connect(document, &Document::runRequested, context.get(), [this, document](const QString& study) {
        // What is solved again with pins has the inputs of the run that is looked at.
        const auto* looked = qobject_cast<RunDocument*>(document);
        run(study, looked == nullptr ? 0 : looked->state().run);
    });
    QObject::connect(document, &Document::inspected, context.get(),
                     [this, document](const Facts& facts) { inspected(document, facts); });
    const auto refreshFacts = [this, document] {
        if (document == area->current()) showFactsSoon();
    };
    QObject::connect(document, &Document::overviewChanged, context.get(), refreshFacts);
    QObject::connect(document, &Document::overviewChanged, context.get(), [this] { updateActions(); });
    QObject::connect(document, &Document::titleChanged, context.get(), refreshFacts);
    QObject::connect(document, &Document::messaged, context.get(),
                     [this, document](const QString& sentence, const QString& place) {
                         say(MessagesPanel::Tone::warning, sentence, document->kind(), document->key(), place);
                     });
    QObject::connect(document, &Document::done, context.get(), [this, document](const QString& sentence) {
        say(MessagesPanel::Tone::information, sentence, document->kind(), document->key());
    });
    QObject::connect(document, &Document::modifiedChanged, context.get(), [this, document] {
        updateActions();
        // It may have been saved into the library, also where no change of a folder is noticed.
        if (!document->isModified()) watcher->refresh();
    });
    QObject::connect(document, &Document::titleChanged, context.get(), [this] { updateActions(); });
    // What a file holds is known once it is read; its document may be half made when it says so.
    QObject::connect(
        document, &Document::titleChanged, context.get(),
        [this, named = QPointer(document)] {
            if (named) recent.setIcon(named->key(), named->iconName());
        },
        Qt::QueuedConnection);
    QUndoStack* stack = document->undoStack();
    if (stack == nullptr) return;
    undo.addStack(stack);
    QObject::connect(stack, &QUndoStack::indexChanged, context.get(), refreshFacts);
}

/// The guide, where it is about the control that has the focus.
void MainWindow::Implementation::showHelp() {
    const QWidget* control = QApplication::focusWidget();
    if (control == nullptr || qobject_cast<const QMainWindow*>(control) != nullptr) control = area->current();
    showGuide(guidePlaceOf(control));
}

void MainWindow::Implementation::showGuide(const GuidePlace& place) {
    if (auto* guide = qobject_cast<GuideDocument*>(open(u"guide"_s, {}))) guide->go(place);
}

void MainWindow::Implementation::documentChanged(Document* document) {
    QUndoStack* stack = document == nullptr ? nullptr : document->undoStack();
    if (stack != nullptr) stack->setActive();
    if (stack == nullptr) undo.setActiveStack(nullptr);
    showFacts(document);
    updateActions();
}

void MainWindow::Implementation::closeDocument(Document* document) {
    if (!document->isModified()) {
        area->close(document);
        return;
    }
    area->bringToFront(document);
    const QPointer<Document> guard(document);
    asker().ask(window,
                {.title = u"Unsaved changes"_s,
                 .sentence = u"%1 has changes that are not saved."_s.arg(document->title()),
                 .answers = {u"Save"_s, u"Discard the changes"_s, u"Keep it open"_s},
                 .escape = 2},
                [this, guard](int answer) {
                    if (!guard || answer == 2) return;
                    if (answer == 0 && !guard->save()) return;
                    area->close(guard);
                });
}

void MainWindow::Implementation::run(const QString& studyJson, store::RunId inputsOf) {
    try {
        const study::Study study =
            study::readStudy(JsonDocument::parse(studyJson.toStdString(), u"the study"_s.toStdString()).root());
        openJob(jobs->enqueue(study, {}, history->isOpen() ? inputsOf : 0));
    } catch (const std::exception& error) {
        say(MessagesPanel::Tone::error, toQt(escaped(error.what(), 2000)));
    }
}

void MainWindow::Implementation::runStudyNamed(const QString& key) {
    inBackground(
        context.get(), [name = key.toStdString()] { return study::loadStudy(name); },
        [this](const study::Study& study) { openJob(jobs->enqueue(study)); },
        [this, key](const QString& problem) {
            say(MessagesPanel::Tone::error, shownText(problem.toStdString(), 2000), u"study"_s, key);
        });
}

void MainWindow::Implementation::openStudyOf(const QString& key) {
    history->ask<study::Study>(
        context.get(),
        [key](store::Store& store) {
            const auto result = isSearchedOn(key) ? store.result(runOf(key)) : std::nullopt;
            return studyOf(key, store.study(runOf(key)), result ? &*result : nullptr);
        },
        [this, key](const study::Study& study) {
            // Asked for twice in a row, it is there by now.
            if (Document* present = area->find(u"study"_s, key)) {
                area->bringToFront(present);
                return;
            }
            auto* document = new StudyDocument(study, key);
            connectDocument(document);
            area->add(document);
        });
}

/// One that was not touched yet is shown again; beside one that was, a further one begins.
void MainWindow::Implementation::newStudy(const QString& model, const QString& hardware, std::string_view engine) {
    if (engine.empty()) engine = study::engines().front().id;
    const QString key = newStudyKey(toQt(engine), model, hardware);
    const QString kind = u"study"_s;
    if (const Document* present = area->find(kind, key); present == nullptr || !present->isModified())
        open(kind, key);
    else
        area->add(make(kind, key));
}

void MainWindow::Implementation::openJob(int job) {
    open(u"run"_s, kJobPrefix + QString::number(job));
}

void MainWindow::Implementation::connectRun(RunDocument* document) {
    QObject::connect(document, &RunDocument::modelRequested, context.get(),
                     [this, document](const QString& strategy, int split) {
                         const RunState& state = document->state();
                         if (state.result == nullptr || state.study.models.empty()) return;
                         auto* model = qobject_cast<ModelDocument*>(open(u"model"_s, toQt(state.study.models.front())));
                         if (model != nullptr) model->setOverlay(state.result, strategy, split);
                     });
    QObject::connect(document, &RunDocument::resumeRequested, context.get(),
                     [this](store::RunId run) { openJob(jobs->resume(run)); });
    QObject::connect(document, &RunDocument::repeatRequested, context.get(), [this, document] { runAgain(*document); });
    QObject::connect(document, &RunDocument::acceleratorRequested, context.get(),
                     [this, document] { saveAccelerator(document->state()); });
}

void MainWindow::Implementation::feedRun(RunDocument* document) {
    document->setHistory(history->path());
    if (const int job = jobOf(document->key()); job != 0) {
        document->setState(jobs->state(job));
        return;
    }
    const store::RunId run = runOf(document->key());
    history->ask<RunState>(
        document, [run](store::Store& store) { return loadRun(store, run); },
        [document](const RunState& state) { document->setState(state); });
}

/// Runs of the history by their numbers, and runs that are not kept by their jobs, in the order of the key.
void MainWindow::Implementation::feedRuns(Document* document) {
    const auto feed = [this](auto* receiver) {
        std::map<QString, RunState> present;
        for (const QString& part : receiver->key().split(QLatin1Char(',')))
            if (const int job = jobOf(part); job != 0) present[part] = jobs->state(job);
        const auto gather = [key = receiver->key(), present](store::Store* store) {
            std::vector<RunState> states;
            for (const QString& part : key.split(QLatin1Char(','))) {
                const auto job = present.find(part);
                if (job != present.end()) states.push_back(job->second);
                if (store == nullptr) continue;
                for (const store::RunId run : runNumbers(part)) states.push_back(loadRun(*store, run));
            }
            return states;
        };
        // What is in the window alone needs no history, which may have failed.
        if (runNumbers(receiver->key()).empty()) {
            receiver->setRuns(gather(nullptr));
            return;
        }
        history->ask<std::vector<RunState>>(
            receiver, [gather](store::Store& store) { return gather(&store); },
            [receiver](const std::vector<RunState>& states) { receiver->setRuns(states); });
    };
    if (auto* compare = qobject_cast<CompareDocument*>(document)) {
        compare->setHistory(history->path());
        feed(compare);
    }
    if (auto* report = qobject_cast<ReportDocument*>(document)) feed(report);
    if (auto* points = qobject_cast<PointsDocument*>(document))
        history->ask<PointsDocument::Runs>(
            points,
            [runs = runNumbers(points->key(), kMostPoints)](store::Store& store) { return loadPoints(store, runs); },
            [points](const PointsDocument::Runs& runs) { points->setRuns(runs); });
}

/// A comparison needs a second run: asks for it, the most comparable first.
void MainWindow::Implementation::askForOthers(const QString& key) {
    const auto ask = [this, key](const store::RunRow& run) {
        auto* picker = new RunPicker(RunPicker::toCompare(run), run, candidates(key, run), &window);
        picker->setAttribute(Qt::WA_DeleteOnClose);
        QObject::connect(picker, &RunPicker::chosen, context.get(), [this, key](const QStringList& others) {
            open(u"compare"_s, (QStringList{key} + others).join(QLatin1Char(',')));
        });
        picker->open();
    };
    if (const int job = jobOf(key); job != 0) {
        ask(rowOf(jobs->state(job)));
        return;
    }
    history->ask<std::optional<store::RunRow>>(
        context.get(),
        [runs = runNumbers(key)](store::Store& store) { return runs.empty() ? std::nullopt : store.run(runs.front()); },
        [this, ask, key](const std::optional<store::RunRow>& run) {
            if (run)
                ask(*run);
            else
                say(MessagesPanel::Tone::error, u"The history has no run %1."_s.arg(key.left(64)));
        });
}

/// A model is coloured by what a run of it found: asks which.
void MainWindow::Implementation::askForColours(ModelDocument* model) {
    store::RunRow like;
    like.engine = study::engines().front().id;
    like.models = model->key().toStdString();
    const auto ofModel = [search = candidates({}, like), models = like.models, engine = like.engine](
                             const QString& words,
                             const std::function<void(const std::vector<RunPicker::Candidate>&)>& answer) {
        search(words, [answer, models, engine](std::vector<RunPicker::Candidate> found) {
            std::erase_if(found, [&](const RunPicker::Candidate& each) {
                return each.row.models != models || each.row.engine != engine;
            });
            answer(found);
        });
    };
    auto* picker = new RunPicker(RunPicker::toColour(model->title()), like, ofModel, &window);
    picker->setAttribute(Qt::WA_DeleteOnClose);
    QObject::connect(picker, &RunPicker::chosen, model, [this, model](const QStringList& keys) {
        if (const int job = jobOf(keys.front()); job != 0) {
            model->setOverlay(jobs->state(job).result);
            return;
        }
        history->ask<RunState>(
            model, [run = runNumbers(keys.front()).front()](store::Store& store) { return loadRun(store, run); },
            [this, model](const RunState& state) {
                if (state.result != nullptr)
                    model->setOverlay(state.result);
                else
                    say(MessagesPanel::Tone::error, state.problem, u"run"_s, kRunPrefix + QString::number(state.run));
            });
    });
    picker->open();
}

RunPicker::Search MainWindow::Implementation::candidates(const QString& key, const store::RunRow& run) {
    constexpr std::int64_t kMax = 100;
    return [this, key, run](const QString& words,
                            const std::function<void(const std::vector<RunPicker::Candidate>&)>& answer) {
        std::vector<RunPicker::Candidate> loose;  // in the window alone
        for (const int job : jobs->jobs()) {
            const RunState state = jobs->state(job);
            const QString part = kJobPrefix + QString::number(job);
            if (state.run == 0 && state.result != nullptr && part != key &&
                state.title.contains(words, Qt::CaseInsensitive))
                loose.push_back({part, rowOf(state)});
        }
        history->ask<std::vector<store::RunRow>>(
            context.get(),
            [run, words = words.toStdString()](store::Store& store) {
                store::HistoryQuery query;
                query.text = words;
                query.status = store::RunStatus::done;
                query.engine = run.engine;
                std::vector<store::RunRow> rows = store.query(query, kMax);
                query.model = run.models;
                const std::vector<store::RunRow> same = store.query(query, kMax);
                rows.insert(rows.begin(), same.begin(), same.end());
                return rows;
            },
            [answer, loose, key, id = run.id](const std::vector<store::RunRow>& rows) {
                std::vector<RunPicker::Candidate> all = loose;
                std::set<store::RunId> seen{id};
                for (const store::RunRow& row : rows)
                    if (seen.insert(row.id).second) all.push_back({QString::number(row.id), row});
                answer(all);
            });
    };
}

void MainWindow::Implementation::jobChanged(int job) {
    const QString key = kJobPrefix + QString::number(job);
    if (auto* document = qobject_cast<RunDocument*>(area->find(u"run"_s, key))) document->setState(jobs->state(job));
}

void MainWindow::Implementation::jobFinished(int job) {
    const RunState state = jobs->state(job);
    jobChanged(job);
    if (state.status == store::RunStatus::failed)
        say(MessagesPanel::Tone::error, state.title + u": "_s + state.problem, u"run"_s,
            state.run != 0 ? kRunPrefix + QString::number(state.run) : kJobPrefix + QString::number(job));
    if (const auto* run = qobject_cast<RunDocument*>(area->current()); run != nullptr && run->state().job == job)
        showFactsSoon();
    history->announceChange();
    updateActions();
}

/// Editors offer what the library holds now.
void MainWindow::Implementation::offerChoices() {
    for (Document* document : area->documents())
        if (auto* editor = qobject_cast<EditorDocument*>(document)) editor->offerChoices();
}

void MainWindow::Implementation::importFile(const QString& path) {
    inBackground(
        context.get(), [path] { return examineFile(path); },
        [this](const ImportedFile& file) {
            // A model that cannot be read has a page that says so, where it can be tried again.
            const bool isModel = file.path.endsWith(QLatin1String(".onnx"), Qt::CaseInsensitive);
            if (!file.problem.isEmpty())
                refuse(file.problem, isModel ? u"model"_s : QString(), file.path);
            else if (file.kind == QLatin1String("runs"))
                importRuns(file.path);
            else
                open(file.kind, file.path);
        },
        [this](const QString& problem) { refuse(problem); });
}

/// Where a person looks who has just dropped a file: above the documents. The list of messages keeps it.
void MainWindow::Implementation::refuse(const QString& sentence, const QString& kind, const QString& key) {
    say(MessagesPanel::Tone::error, sentence, kind, key);
    QVector<NoticeBar::Choice> choices;
    if (!kind.isEmpty()) choices.append({u"Show"_s, [this, kind, key] { open(kind, key); }});
    notifyOfFile(new NoticeBar(NoticeBar::Tone::warning, sentence, choices));
}

void MainWindow::Implementation::importRuns(const QString& path) {
    history->transfer<store::MergeCount>(
        context.get(), [from = path.toStdString()](store::Store& store) { return store.merge(from); },
        [this, path](const store::MergeCount& count) {
            say(MessagesPanel::Tone::information,
                u"%1: %2 runs imported, %3 were here already."_s.arg(QFileInfo(path).fileName())
                    .arg(count.added)
                    .arg(count.present),
                u"history"_s);
            for (const auto& left : count.damaged)
                say(MessagesPanel::Tone::error, u"Run %1 was left out: %2."_s.arg(left.first).arg(toQt(left.second)),
                    u"history"_s);
            history->announceChange();
            open(u"history"_s, {});
        });
}

void MainWindow::Implementation::say(MessagesPanel::Tone tone, const QString& sentence, const QString& kind,
                                     const QString& key, const QString& place) {
    messages->add(tone, sentence, kind, key, place);
}

/// A message's document, and the place in it; the document may still have to read its file.
void MainWindow::Implementation::goToMessage(const QString& kind, const QString& key, const QString& place) {
    if (kind.isEmpty()) return;
    Document* document = open(kind, key);
    if (document == nullptr) return;
    document->setFocus();
    if (place.isEmpty() || document->showPlace(place)) return;
    QObject::connect(
        document, &Document::overviewChanged, document, [document, place] { document->showPlace(place); },
        Qt::SingleShotConnection);
}

std::vector<store::RunId> MainWindow::Implementation::openRuns() const {
    std::vector<store::RunId> runs;
    for (const int job : jobs->jobs()) runs.push_back(jobs->state(job).run);
    for (const Document* document : area->documents())
        if (const auto* run = qobject_cast<const RunDocument*>(document)) runs.push_back(run->state().run);
    return runs;
}

/// A run is called the same everywhere, also after it got another name in the history.
void MainWindow::Implementation::showNames(const std::map<store::RunId, std::string>& names) {
    const auto nameOf = [&](store::RunId run) {
        const auto found = names.find(run);
        return found == names.end() || found->second.empty() ? QString() : shown(found->second);
    };
    for (const int job : jobs->jobs()) jobs->rename(job, nameOf(jobs->state(job).run));
    for (Document* document : area->documents()) {
        auto* run = qobject_cast<RunDocument*>(document);
        if (run == nullptr || run->state().job != 0) continue;
        RunState state = run->state();
        const QString name = nameOf(state.run);
        if (name.isEmpty() || name == state.title) continue;
        state.title = name;
        run->setState(state);
    }
}

void MainWindow::Implementation::refreshRuns() {
    struct Answer {
        std::vector<store::RunRow> latest;
        std::map<store::RunId, std::string> names;
    };
    history->ask<Answer>(
        context.get(),
        [runs = openRuns()](store::Store& store) {
            Answer answer;
            answer.latest = store.query({}, kLatestRuns);
            for (const store::RunId run : runs)
                if (const std::optional<store::RunRow> row = run == 0 ? std::nullopt : store.run(run))
                    answer.names[run] = row->name;
            return answer;
        },
        [this](const Answer& answer) {
            latestRuns = answer.latest;
            library->setRuns(answer.latest);
            showNames(answer.names);
            if (qobject_cast<RunDocument*>(area->current()) != nullptr) showFactsSoon();
        });
}

}  // namespace tessera::ui
