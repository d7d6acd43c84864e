#include <QDateTime>
#include <QDockWidget>
#include <QFile>
#include <QGuiApplication>
#include <QJsonDocument>
#include <QScreen>
#include <QSettings>
#include <QTimer>
#include <QVBoxLayout>
#include <algorithm>
#include <filesystem>
#include <utility>

#include "core/base/error.h"
#include "core/report/handover.h"
#include "core/store/store.h"
#include "core/study/engine.h"
#include "ui/jobs/run_status.h"
#include "ui/models/background.h"
#include "ui/models/text.h"
#include "ui/views/document.h"
#include "ui/views/runs/run_document.h"
#include "ui/workspace/pane_widths.h"
#include "ui/workspace/questions.h"
#include "ui/workspace/selection_pane.h"
#include "ui/workspace/window/main_window_parts.h"
#include "ui/workspace/words.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

const QString kGeometry = u"window/geometry"_s;
const QString kState = u"window/state"_s;
const QString kDocuments = u"session/documents"_s;
const QString kOpenSections = u"library/open"_s;
const QString kHistoryPath = u"history/path"_s;
/// Histories that were open once: where one of these is gone, the user is asked before an empty one takes its place.
const QString kKnown = u"history/known"_s;
const QString kDismissed = u"history/dismissed"_s;
/// Set while the session is restored: a start that did not survive it begins plainly the next time.
const QString kRestoring = u"session/restoring"_s;
const QString kWidths = u"window/widths"_s;
const QString kDismissedInspector = u"window/inspectorDismissed"_s;
constexpr int kStateVersion = 1;
constexpr int kSettled = 500;        ///< milliseconds after which a window that is back has answered everything
constexpr int kKeepSession = 3000;   ///< milliseconds between two looks whether the session changed
constexpr qsizetype kMaxListed = 5;  ///< of documents and results, in a question
/// So much of the window's head must be on a screen that it can be grabbed.
constexpr int kMinVisible = 80;

bool isReachable(const QRect& frame) {
    for (const QScreen* screen : QGuiApplication::screens()) {
        const QRect seen = screen->availableGeometry().intersected(QRect(frame.topLeft(), QSize(frame.width(), 40)));
        if (seen.width() >= kMinVisible && seen.height() > 0) return true;
    }
    return false;
}

/// What becomes of an old history that a fresh one replaces, and what went wrong.
QString putAside(const std::filesystem::path& path) {
    std::error_code error;
    if (!std::filesystem::exists(path, error)) return {};
    const std::string stamp = QDateTime::currentDateTime().toString(u"yyyyMMdd-HHmmss"_s).toStdString();
    for (const char* suffix : {"", "-wal", "-shm"}) {
        const std::filesystem::path from = path.string() + suffix;
        if (!std::filesystem::exists(from, error)) continue;
        std::filesystem::rename(from, path.string() + "." + stamp + suffix, error);
        if (error) return toQt(error.message());
    }
    return {};
}

/// Adds to a list of the settings, which forgets its oldest.
void remember(const QString& list, const QStringList& more) {
    constexpr qsizetype kMaxRemembered = 1000;
    QSettings settings;
    QStringList all = settings.value(list).toStringList() + more;
    all.removeDuplicates();
    if (all.size() > kMaxRemembered) all = all.mid(all.size() - kMaxRemembered);
    settings.setValue(list, all);
}

void forget(const QString& list, const QString& entry) {
    QStringList all = QSettings().value(list).toStringList();
    if (all.removeAll(entry) > 0) QSettings().setValue(list, all);
}

QString pathText(const std::filesystem::path& path) {
    return toQt(path.string());
}

}  // namespace

void MainWindow::Implementation::openHistory(const std::filesystem::path& path, store::OpenMode mode) {
    // Runs that start before it is open are kept as well.
    jobs->setHistory(path, mode == store::OpenMode::readOnly);
    historyPath = path;
    report::serveRunInputs([path] {
        if (path.empty()) throw UsageError("runs of a history that is not kept are no inputs of studies");
        return store::Store::open(path, store::OpenMode::readOnly);
    });
    if (historyNotice) historyNotice->deleteLater();
    history->open(path, mode, QSettings().value(kKnown).toStringList().contains(pathText(path)));
}

void MainWindow::Implementation::historyOpened(const QString& notice, bool readOnly) {
    jobs->setHistory(historyPath, readOnly);
    if (!historyPath.empty()) remember(kKnown, {pathText(historyPath)});
    feedAnew();
    QString sentence = notice;
    if (readOnly && sentence.isEmpty())
        sentence = u"The history is open for reading only: new runs are shown, but not kept."_s;
    if (!sentence.isEmpty()) {
        historyNotice =
            new NoticeBar(NoticeBar::Tone::warning, sentence, {{u"Choose another"_s, [this] { chooseHistory(); }}});
        notify(historyNotice);
    }
    refreshRuns();
    history->announceChange();
    if (readOnly || historyPath.empty()) return;
    history->ask<std::vector<store::RunRow>>(
        context.get(), [](store::Store& store) { return store.findInterrupted(); },
        [this](const std::vector<store::RunRow>& runs) { announceInterrupted(runs); });
}

/// Documents that were opened while there was no history get their runs now.
void MainWindow::Implementation::feedAnew() {
    if (!std::exchange(historyMissed, false)) return;
    for (Document* document : area->documents()) {
        auto* run = qobject_cast<RunDocument*>(document);
        if (run != nullptr && run->state().job == 0) feedRun(run);
        feedRuns(document);
    }
}

void MainWindow::Implementation::historyFailed(store::StoreProblem problem, const QString& sentence) {
    using Kind = store::StoreProblem;
    say(MessagesPanel::Tone::error, sentence);
    jobs->setHistory({});
    historyMissed = true;
    if (historyNotice) historyNotice->deleteLater();
    QVector<NoticeBar::Choice> choices;
    choices.append({u"Try again"_s, [this] { openHistory(historyPath); }});
    if (problem == Kind::locked || problem == Kind::notWritable || problem == Kind::damaged || problem == Kind::newer ||
        problem == Kind::full)
        choices.append({u"Open read-only"_s, [this] { openHistory(historyPath, store::OpenMode::readOnly); }});
    choices.append({u"Choose another"_s, [this] { chooseHistory(); }});
    if (problem == Kind::missing) choices.append({u"Start an empty one"_s, [this] { startFresh(); }});
    if (problem == Kind::damaged || problem == Kind::newer || problem == Kind::notAHistory ||
        problem == Kind::notReadable)
        choices.append({u"Start fresh, keep the old file"_s, [this] { startFresh(); }});
    historyNotice = new NoticeBar(NoticeBar::Tone::warning, sentence, choices);
    notify(historyNotice);
}

void MainWindow::Implementation::startFresh() {
    const auto failed = [this](const QString& problem) {
        historyFailed(store::StoreProblem::notWritable,
                      u"%1 cannot be renamed: %2."_s.arg(pathText(historyPath), problem));
    };
    inBackground(
        context.get(), [path = historyPath] { return putAside(path); },
        [this, failed](const QString& problem) {
            if (problem.isEmpty()) {
                forget(kKnown, pathText(historyPath));
                openHistory(historyPath);
            } else {
                failed(problem);
            }
        },
        failed);
}

void MainWindow::Implementation::chooseHistory() {
    asker().saveFile(window, u"Choose a history, or name a new one"_s, pathText(historyPath),
                     fileFilter(u"Histories"_s, u"*.db"_s), [this](const QString& path) {
                         QSettings().setValue(kHistoryPath, path);
                         openHistory(path.toStdString());
                     });
}

void MainWindow::Implementation::announceInterrupted(const std::vector<store::RunRow>& all) {
    const QStringList dismissed = QSettings().value(kDismissed).toStringList();
    std::vector<store::RunRow> runs;
    std::vector<store::RunId> numbers;
    QStringList uids;
    for (const store::RunRow& row : all) {
        // A run that went on and was interrupted once more is reported again.
        const QString uid = u"%1/%2"_s.arg(toQt(row.uid)).arg(row.finished.value_or(0));
        if (dismissed.contains(uid)) continue;
        runs.push_back(row);
        numbers.push_back(row.id);
        uids.append(uid);
    }
    if (runs.empty()) return;
    const QString sentence =
        runs.size() == 1 ? u"%1 was interrupted. It can go on from its last checkpoint."_s.arg(
                               runs.front().name.empty() ? u"Run %1"_s.arg(runs.front().id) : shown(runs.front().name))
                         : u"%1 runs were interrupted. They can go on from their last checkpoints."_s.arg(runs.size());
    notify(new NoticeBar(NoticeBar::Tone::information, sentence,
                         {{u"Resume"_s,
                           [this, numbers] {
                               for (const store::RunId run : numbers) jobs->resume(run);
                               if (numbers.size() > 1) showPane(*docks[2], true);
                           }},
                          {u"Show"_s, [this] { open(u"history"_s, {}); }},
                          {u"Dismiss"_s, [uids] { remember(kDismissed, uids); }}}));
}

void MainWindow::Implementation::notify(NoticeBar* bar) {
    notices->addWidget(bar);
}

void MainWindow::Implementation::notifyOfFile(NoticeBar* bar) {
    if (fileNotice) fileNotice->deleteLater();
    fileNotice = bar;
    notify(bar);
}

/// A window out of reach comes back to the screen.
void MainWindow::Implementation::bringBack() {
    if (isReachable(window.frameGeometry())) return;
    window.setWindowState(Qt::WindowNoState);
    const QRect screen = QGuiApplication::primaryScreen()->availableGeometry();
    window.resize(window.size().boundedTo(screen.size()));
    window.move(screen.topLeft());
}

/// A window that is larger than its screen, with the frame that the window manager put around it, shrinks to it: what
/// stands at its lower edge is seen, too.
void MainWindow::Implementation::fitToScreen() {
    const bool isFree = (window.windowState() & (Qt::WindowMaximized | Qt::WindowFullScreen)) == 0;
    if (!isFree || window.screen() == nullptr) return;
    const QRect screen = window.screen()->availableGeometry();
    const QRect frame = window.frameGeometry();
    // Without a frame there is no window manager: then its size is as it was asked for.
    if (frame.size() == window.size()) return;
    if (frame.width() <= screen.width() && frame.height() <= screen.height()) return;
    window.resize(window.size().boundedTo(screen.size() - (frame.size() - window.size())));
    window.move(screen.topLeft());
}

/// The session comes back in steps, each of which the window answers before the next: its place, its panes, its
/// documents. A start that does not get through all of them is known by its mark, and the next one begins plainly.
void MainWindow::Implementation::restoreSession() {
    QSettings settings;
    std::filesystem::path path = options.history;
    if (path.empty()) path = store::nameInEnvironment();
    if (path.empty()) path = settings.value(kHistoryPath).toString().toStdString();
    if (path.empty()) path = store::defaultPath();
    if (!options.recordHistory) path.clear();
    openHistory(path);

    // A window without a session is another program's, which says how large it is.
    if (!options.restoreSession) return begin();
    restoring = true;
    const bool failed = settings.value(kRestoring).toBool();
    settings.setValue(kRestoring, true);
    settings.sync();
    if (failed) beginPlainly();
    restoreGeometry();
    soon([this] {
        restorePanes();
        soon([this] {
            restoreDocuments();
            QTimer::singleShot(kSettled, context.get(), [this] { becomeReady(); });
        });
    });
}

/// What the last start stumbled over is kept beside, for a person to look at, and forgotten here.
void MainWindow::Implementation::beginPlainly() {
    QSettings settings;
    const QString stamp = QDateTime::currentDateTime().toString(u"yyyyMMdd-HHmmss"_s);
    const QString kept = settings.fileName() + QLatin1Char('.') + stamp;
    const bool isKept = QFile::copy(settings.fileName(), kept);
    for (const QString& key : {kGeometry, kState, kWidths, kDocuments}) settings.remove(key);
    settings.sync();
    QString sentence = u"The last start did not get to its end, so this one begins with a plain window."_s;
    if (isKept) sentence += QLatin1Char(' ') + u"The settings that it had are kept in %1."_s.arg(kept);
    say(MessagesPanel::Tone::warning, sentence);
    notify(new NoticeBar(NoticeBar::Tone::warning, sentence, {}));
}

void MainWindow::Implementation::restoreGeometry() {
    if (window.restoreGeometry(QSettings().value(kGeometry).toByteArray())) bringBack();
}

void MainWindow::Implementation::restorePanes() {
    const QSettings settings;
    window.restoreState(settings.value(kState).toByteArray(), kStateVersion);
    sides->restore(settings.value(kWidths).toMap());
    inspectorPane->setDismissed(settings.value(kDismissedInspector).toBool());
    // Whatever the settings say, there is always a way to see and reach everything.
    for (QDockWidget* each : docks)
        if (each->isFloating() && !isReachable(each->frameGeometry())) each->setFloating(false);
    if (settings.contains(kOpenSections)) library->setOpenSections(settings.value(kOpenSections).toStringList());
}

void MainWindow::Implementation::restoreDocuments() {
    const QJsonDocument layout = QJsonDocument::fromJson(QSettings().value(kDocuments).toByteArray());
    area->restore(layout.object(), [this](const QString& kind, const QString& key) -> Document* {
        return area->find(kind, key) != nullptr ? nullptr : make(kind, key);
    });
    offerLostEdits();
    begin();
}

void MainWindow::Implementation::begin() {
    if (area->documents().isEmpty()) open(u"welcome"_s, {});
    documentChanged(area->current());
    for (const std::function<void()>& work : std::exchange(waiting, {})) work();
}

/// The window stands and answers: from here on its session is kept, also for the case that the program is killed.
void MainWindow::Implementation::becomeReady() {
    restoring = false;
    fitToScreen();
    QSettings settings;
    settings.setValue(kRestoring, false);
    saveSession();
    auto* keeper = new QTimer(context.get());
    QObject::connect(keeper, &QTimer::timeout, context.get(), [this] { saveSession(); });
    keeper->start(kKeepSession);
    emit window.ready();
}

/// To close the window early is no failure.
void MainWindow::Implementation::giveUpRestoring() const {
    if (restoring) QSettings().setValue(kRestoring, false);
}

void MainWindow::Implementation::soon(std::function<void()> work) {
    QTimer::singleShot(0, context.get(), std::move(work));
}

/// Files and studies that the program was started with come after the documents of the session.
void MainWindow::Implementation::whenBegun(std::function<void()> work) {
    if (area->documents().isEmpty())
        waiting.push_back(std::move(work));
    else
        work();
}

QVariantMap MainWindow::Implementation::session() const {
    // A job's number means nothing tomorrow; its run in the history does.
    const QJsonObject layout = area->save([](const Document& document) -> std::optional<QString> {
        const auto* run = qobject_cast<const RunDocument*>(&document);
        if (run == nullptr || !run->key().startsWith(QLatin1String("job/"))) return document.key();
        if (run->state().run == 0) return std::nullopt;
        return u"run/%1"_s.arg(run->state().run);
    });
    return {{kGeometry, window.saveGeometry()},
            {kState, window.saveState(kStateVersion)},
            {kWidths, sides->save()},
            {kDismissedInspector, inspectorPane->isDismissed()},
            {kOpenSections, library->openSections()},
            {kDocuments, QJsonDocument(layout).toJson(QJsonDocument::Compact)}};
}

void MainWindow::Implementation::saveSession() {
    if (!options.restoreSession) return;
    if (area->documents().isEmpty()) return;  // half a session does not take the place of a whole one
    const QVariantMap now = session();
    if (now == saved) return;
    QSettings settings;
    for (auto each = now.begin(); each != now.end(); ++each)
        if (saved.value(each.key()) != each.value()) settings.setValue(each.key(), each.value());
    saved = now;
    settings.sync();
}

/// Not from within the question: a window does not close while it is closing.
void MainWindow::Implementation::closeSoon() {
    QMetaObject::invokeMethod(&window, &QWidget::close, Qt::QueuedConnection);
}

bool MainWindow::Implementation::mayClose() {
    if (closeConfirmed) return true;
    if (jobs->working() > 0 && !runsConfirmed) {
        askAboutRuns();
        return false;
    }
    // Where nothing is to be kept, nothing is missed.
    if (!historyPath.empty() && !jobs->unkept().isEmpty() && !unkeptConfirmed) {
        askAboutUnkept();
        return false;
    }
    QVector<Document*> changed;
    for (Document* document : area->documents())
        if (document->isModified()) changed.append(document);
    if (!changed.isEmpty()) {
        askAboutChanges(changed);
        return false;
    }
    return true;
}

bool MainWindow::Implementation::isMeasuring() const {
    const QVector<int> all = jobs->jobs();
    return std::any_of(all.begin(), all.end(), [this](int job) {
        const RunState state = jobs->state(job);
        const study::Engine* engine = study::findEngine(state.study.engine);
        return isWorking(state.status) && engine != nullptr && engine->measures;
    });
}

void MainWindow::Implementation::askAboutRuns() {
    const int working = jobs->working();
    const bool kept = history->isOpen() && !history->isReadOnly() && !historyPath.empty();
    QString sentence = working == 1 ? u"A run is still working."_s : u"%1 runs are still working."_s.arg(working);
    sentence +=
        QLatin1Char(' ') + (kept ? u"What they found so far is kept, and the next start offers to resume them."_s
                                 : u"There is no history to keep them in: what they found so far is lost."_s);
    if (kept && isMeasuring()) sentence += QLatin1Char(' ') + u"Nothing is kept of a measurement: it begins anew."_s;
    asker().ask(window,
                {.title = u"Close Tessera"_s,
                 .sentence = sentence,
                 .answers = {kept ? u"Close, resume later"_s : u"Close and lose them"_s, u"Keep working"_s},
                 .escape = 1},
                [this](int answer) {
                    if (answer != 0) return;
                    runsConfirmed = true;
                    closeSoon();
                });
}

void MainWindow::Implementation::askAboutUnkept() {
    QStringList titles;
    for (const int job : jobs->unkept()) titles.append(jobs->state(job).title);
    asker().ask(
        window,
        {.title = u"Results that are only in this window"_s,
         .sentence = u"The history could not keep these results: %1. They are lost when Tessera closes; "
                     "\"Export result…\" in the menu of their pages saves them."_s.arg(firstNames(titles, kMaxListed)),
         .answers = {u"Keep working"_s, u"Close and lose them"_s},
         .escape = 0},
        [this](int answer) {
            if (answer != 1) return;
            unkeptConfirmed = true;
            closeSoon();
        });
}

void MainWindow::Implementation::askAboutChanges(const QVector<Document*>& changed) {
    QStringList titles;
    for (const Document* document : changed) titles.append(document->title());
    asker().ask(window,
                {.title = u"Unsaved changes"_s,
                 .sentence = u"Not saved yet: %1."_s.arg(firstNames(titles, kMaxListed)),
                 .answers = {u"Save all"_s, u"Discard the changes"_s, u"Keep working"_s},
                 .escape = 2},
                [this](int answer) {
                    if (answer == 2) {
                        runsConfirmed = false;
                        unkeptConfirmed = false;
                        return;
                    }
                    if (answer == 0)
                        for (Document* document : area->documents())
                            if (document->isModified() && !document->save()) return;
                    closeConfirmed = true;
                    closeSoon();
                });
}

}  // namespace tessera::ui
