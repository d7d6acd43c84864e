#include <QFileInfo>
#include <QUndoStack>
#include <QUrl>

#include "core/base/text.h"
#include "core/study/study.h"
#include "ui/editors/hardware_document.h"
#include "ui/editors/study_document.h"
#include "ui/views/compare_document.h"
#include "ui/views/model_document.h"
#include "ui/views/report_document.h"
#include "ui/views/run_document.h"
#include "ui/workspace/background.h"
#include "ui/workspace/history_document.h"
#include "ui/workspace/importer.h"
#include "ui/workspace/inspector_panel.h"
#include "ui/workspace/main_window_parts.h"
#include "ui/workspace/questions.h"
#include "ui/workspace/run_loader.h"
#include "ui/workspace/welcome_document.h"

namespace tessera::ui {

namespace {

constexpr std::int64_t kLatestRuns = 20;
const QString kRunPrefix = QStringLiteral("run/");
const QString kJobPrefix = QStringLiteral("job/");

store::RunId runOf(const QString& key) {
    return key.startsWith(kRunPrefix) ? key.mid(kRunPrefix.size()).toLongLong() : 0;
}

int jobOf(const QString& key) {
    return key.startsWith(kJobPrefix) ? key.mid(kJobPrefix.size()).toInt() : 0;
}

bool isFile(const QString& key) {
    return QFileInfo(key).isAbsolute();
}

}  // namespace

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
    if (kind == QLatin1String("study") && runOf(key) != 0) {
        openStudyOf(runOf(key));
        return nullptr;
    }
    Document* document = make(kind, key);
    if (document == nullptr) {
        say(MessagesPanel::Tone::error, tr("There is nothing to open as '%1'.").arg(kind.left(64)));
        return nullptr;
    }
    area->add(document);
    if (isFile(key)) recent.add(kind, key);
    return document;
}

Document* MainWindow::Implementation::make(const QString& kind, const QString& key) {
    Document* document = nullptr;
    if (kind == QLatin1String("welcome")) {
        auto* welcome = new WelcomeDocument;
        welcome->setRecent(recent.entries());
        QObject::connect(&recent, &RecentFiles::changed, welcome,
                         [this, welcome] { welcome->setRecent(recent.entries()); });
        document = welcome;
    }
    if (kind == QLatin1String("model")) document = new ModelDocument(key);
    if (kind == QLatin1String("hardware")) document = new HardwareDocument(key);
    if (kind == QLatin1String("study") && runOf(key) != 0) openStudyOf(runOf(key));
    if (kind == QLatin1String("study") && runOf(key) == 0) document = new StudyDocument(key);
    if (kind == QLatin1String("run")) document = new RunDocument(key);
    if (kind == QLatin1String("compare")) document = new CompareDocument(key);
    if (kind == QLatin1String("report")) document = new ReportDocument(key);
    if (kind == QLatin1String("history")) {
        auto* runs = new HistoryDocument(*history);
        QObject::connect(runs, &HistoryDocument::repeatRequested, context.get(),
                         [this](store::RunId run) { openJob(jobs->repeat(run)); });
        QObject::connect(runs, &HistoryDocument::resumeRequested, context.get(),
                         [this](store::RunId run) { openJob(jobs->resume(run)); });
        document = runs;
    }
    if (document == nullptr) return nullptr;
    connectDocument(document);
    if (auto* run = qobject_cast<RunDocument*>(document)) feedRun(run);
    feedRuns(document);
    return document;
}

void MainWindow::Implementation::connectDocument(Document* document) {
    QObject::connect(document, &Document::openRequested, context.get(),
                     [this](const QString& kind, const QString& key) { open(kind, key); });
    QObject::connect(document, &Document::runRequested, context.get(), [this](const QString& study) { run(study); });
    QObject::connect(document, &Document::inspected, context.get(), [this](const Facts& facts) { inspect(facts); });
    QObject::connect(document, &Document::messaged, context.get(),
                     [this, document](const QString& sentence, const QString& place) {
                         say(MessagesPanel::Tone::warning, sentence, document->kind(), document->key(), place);
                     });
    QObject::connect(document, &Document::modifiedChanged, context.get(), [this] { updateActions(); });
    QObject::connect(document, &Document::titleChanged, context.get(), [this] { updateActions(); });
    if (QUndoStack* stack = document->undoStack()) undo.addStack(stack);
}

void MainWindow::Implementation::documentChanged(Document* document) {
    QUndoStack* stack = document == nullptr ? nullptr : document->undoStack();
    if (stack != nullptr) stack->setActive();
    if (stack == nullptr) undo.setActiveStack(nullptr);
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
                {.title = tr("Unsaved changes"),
                 .sentence = tr("%1 has changes that are not saved.").arg(document->title()),
                 .answers = {tr("Save"), tr("Discard the changes"), tr("Keep it open")},
                 .escape = 2},
                [this, guard](int answer) {
                    if (!guard || answer == 2) return;
                    if (answer == 0 && !guard->save()) return;
                    area->close(guard);
                });
}

void MainWindow::Implementation::run(const QString& studyJson) {
    try {
        const study::Study study =
            study::readStudy(JsonDocument::parse(studyJson.toStdString(), tr("the study").toStdString()).root());
        openJob(jobs->enqueue(study));
    } catch (const std::exception& error) {
        say(MessagesPanel::Tone::error, QString::fromStdString(escaped(error.what(), 2000)));
    }
}

void MainWindow::Implementation::runStudyNamed(const QString& key) {
    struct Loaded {
        std::optional<study::Study> study;
        QString problem;
    };
    inBackground<Loaded>(
        context.get(),
        [name = key.toStdString()] {
            Loaded loaded;
            try {
                loaded.study = study::loadStudy(name);
            } catch (const std::exception& error) {
                loaded.problem = QString::fromStdString(escaped(error.what(), 2000));
            }
            return loaded;
        },
        [this](const Loaded& loaded) {
            if (loaded.study)
                openJob(jobs->enqueue(*loaded.study));
            else
                say(MessagesPanel::Tone::error, loaded.problem);
        });
}

void MainWindow::Implementation::openStudyOf(store::RunId run) {
    history->ask<study::Study>(
        context.get(), [run](store::Store& store) { return store.study(run); },
        [this, run](const study::Study& study) {
            const QString key = kRunPrefix + QString::number(run);
            if (Document* present = area->find(QStringLiteral("study"), key)) {
                area->bringToFront(present);
                return;
            }
            auto* document = new StudyDocument(study, key);
            connectDocument(document);
            area->add(document);
        });
}

/// One that was not touched yet is shown again; beside one that was, a further one begins.
void MainWindow::Implementation::newStudy(const QString& model, const QString& hardware) {
    const auto encoded = [](const QString& text) { return QString::fromLatin1(QUrl::toPercentEncoding(text, ":/")); };
    QStringList query;
    if (!model.isEmpty()) query.append(QStringLiteral("model=") + encoded(model));
    if (!hardware.isEmpty()) query.append(QStringLiteral("hardware=") + encoded(hardware));
    const std::string_view engine = study::engines().front().id;
    QString key = QStringLiteral("new/") + QString::fromUtf8(engine.data(), static_cast<qsizetype>(engine.size()));
    if (!query.isEmpty()) key += QLatin1Char('?') + query.join(QLatin1Char('&'));
    const QString kind = QStringLiteral("study");
    if (const Document* present = area->find(kind, key); present == nullptr || !present->isModified())
        open(kind, key);
    else
        area->add(make(kind, key));
}

void MainWindow::Implementation::openJob(int job) {
    open(QStringLiteral("run"), kJobPrefix + QString::number(job));
}

void MainWindow::Implementation::feedRun(RunDocument* document) {
    QObject::connect(document, &RunDocument::resumeRequested, context.get(),
                     [this](store::RunId run) { openJob(jobs->resume(run)); });
    if (const int job = jobOf(document->key()); job != 0) {
        document->setState(jobs->state(job));
        return;
    }
    const store::RunId run = runOf(document->key());
    history->ask<RunState>(
        document, [run](store::Store& store) { return loadRun(store, run); },
        [document](const RunState& state) { document->setState(state); });
}

void MainWindow::Implementation::feedRuns(Document* document) {
    const auto feed = [this](auto* receiver) {
        history->ask<std::vector<RunState>>(
            receiver, [runs = runNumbers(receiver->key())](store::Store& store) { return loadRuns(store, runs); },
            [receiver](const std::vector<RunState>& states) { receiver->setRuns(states); });
    };
    if (auto* compare = qobject_cast<CompareDocument*>(document)) feed(compare);
    if (auto* report = qobject_cast<ReportDocument*>(document)) feed(report);
}

void MainWindow::Implementation::jobChanged(int job) {
    const QString key = kJobPrefix + QString::number(job);
    if (auto* document = qobject_cast<RunDocument*>(area->find(QStringLiteral("run"), key)))
        document->setState(jobs->state(job));
}

void MainWindow::Implementation::jobFinished(int job) {
    const RunState state = jobs->state(job);
    jobChanged(job);
    if (state.status == store::RunStatus::failed)
        say(MessagesPanel::Tone::error, state.title + QStringLiteral(": ") + state.problem, QStringLiteral("run"),
            kJobPrefix + QString::number(job));
    history->announceChange();
    updateActions();
}

void MainWindow::Implementation::importFile(const QString& path) {
    inBackground<ImportedFile>(
        context.get(), [path] { return examineFile(path); },
        [this](const ImportedFile& file) {
            if (!file.problem.isEmpty())
                say(MessagesPanel::Tone::error, file.problem);
            else if (file.kind == QLatin1String("runs"))
                importRuns(file.path);
            else
                open(file.kind, file.path);
        });
}

void MainWindow::Implementation::importRuns(const QString& path) {
    history->ask<store::MergeCount>(
        context.get(), [from = path.toStdString()](store::Store& store) { return store.merge(from); },
        [this, path](const store::MergeCount& count) {
            say(MessagesPanel::Tone::information,
                tr("%1: %2 runs imported, %3 were here already.")
                    .arg(QFileInfo(path).fileName())
                    .arg(count.added)
                    .arg(count.present),
                QStringLiteral("history"));
            history->announceChange();
            open(QStringLiteral("history"), {});
        });
}

void MainWindow::Implementation::say(MessagesPanel::Tone tone, const QString& sentence, const QString& kind,
                                     const QString& key, const QString& place) {
    messages->add(tone, sentence, kind, key, place);
}

void MainWindow::Implementation::inspect(const Facts& facts) {
    inspector->setFacts(facts);
}

void MainWindow::Implementation::refreshRuns() {
    history->ask<std::vector<store::RunRow>>(
        context.get(), [](store::Store& store) { return store.query({}, kLatestRuns); },
        [this](const std::vector<store::RunRow>& rows) {
            latestRuns = rows;
            library->setRuns(rows);
        });
}

}  // namespace tessera::ui
