#include <QActionGroup>
#include <QApplication>
#include <QDockWidget>
#include <QFileInfo>
#include <QMenu>
#include <QMenuBar>
#include <QSettings>
#include <QTabWidget>
#include <QToolButton>
#include <QUndoStack>
#include <map>
#include <tuple>

#include "core/study/study.h"
#include "ui/editors/study_document.h"
#include "ui/models/engine_words.h"
#include "ui/models/text.h"
#include "ui/theme/theme.h"
#include "ui/views/exportable.h"
#include "ui/views/picture_alone.h"
#include "ui/views/runs/run_document.h"
#include "ui/views/runs/run_pages.h"
#include "ui/workspace/dock_title.h"
#include "ui/workspace/equivalents.h"
#include "ui/workspace/guide_dialog.h"
#include "ui/workspace/history/importer.h"
#include "ui/workspace/questions.h"
#include "ui/workspace/window/main_window_parts.h"
#include "ui/workspace/words.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

struct ThemeRow {
    const char* id;
    const char* title;
    ThemeMode mode;
};
constexpr ThemeRow kThemes[] = {{"system", "Like the system", ThemeMode::system},
                                {"light", "Light", ThemeMode::light},
                                {"dark", "Dark", ThemeMode::dark}};

/// What people also call an action, for the palette.
struct OtherNames {
    const char* id;
    const char* words;
};
constexpr OtherNames kOtherNames[] = {
    {"new-partition-study", "split parallelism sharding accpar hypar"},
    {"new-mapping-study", "map schedule jobs cores race magma sweep bandwidth"},
    {"new-codesign-study", "design explore architecture pareto front area phaze"},
    {"new-predict-study", "throughput price cost buy rank market centimani"},
    {"new-fleet", "cluster array network topology"},
    {"new-accelerator", "chip device gpu tpu hardware"},
    {"new-platform", "multi-core sub-accelerator"},
    {"new-template", "architecture space range"},
    {"open", "import load file onnx"},
    {"save", "write store"},
    {"choose-history", "database store file"},
    {"history", "results past earlier compare"},
    {"validation", "accuracy error measured predicted published trust"},
    {"calibrate", "measure benchmark kernels computer"},
    {"run", "start solve go execute"},
    {"pause", "hold resume"},
    {"stop", "finish end"},
    {"cancel", "abort kill discard"},
    {"reset-layout", "docks panes windows default"},
    {"full-screen", "maximise"},
    {"alone", "maximise enlarge zoom chart plot full"},
    {"shortcuts", "keys hotkeys bindings"},
    {"equivalents", "command line terminal shell script equivalent cli"},
    {"welcome", "home start examples"},
    {"theme-dark", "night appearance colours mode"},
    {"theme-light", "day appearance colours mode"},
    {"theme-system", "automatic appearance colours mode"},
};

QString otherNames(const QString& id) {
    QStringList words;
    for (const OtherNames& row : kOtherNames)
        if (id == QLatin1String(row.id)) words << QString::fromUtf8(row.words);
    for (const study::Engine& engine : study::engines())
        if (id == newStudyAction(engine)) words << toQt(engine.description);
    return words.join(QLatin1Char(' '));
}

QString withoutMnemonic(QString text) {
    text.replace(u"&&"_s, u"\x01"_s);
    text.remove(QLatin1Char('&'));
    return text.replace(QLatin1Char('\x01'), QLatin1Char('&'));
}

/// Without its actions and the menus inside it.
void empty(QMenu* menu) {
    menu->clear();
    qDeleteAll(menu->findChildren<QMenu*>(QString(), Qt::FindDirectChildrenOnly));
}

QString asHeading(QString text) {
    if (!text.isEmpty()) text[0] = text[0].toUpper();
    return text;
}

/// Whether Run has something to run: a study says itself what it still misses.
bool canRun(const Document* document) {
    const auto* run = qobject_cast<const RunDocument*>(document);
    return qobject_cast<const StudyDocument*>(document) != nullptr ||
           (run != nullptr && !run->state().study.engine.empty());
}

QString inMenu(QString text) {
    return text.replace(QLatin1Char('&'), u"&&"_s);
}

}  // namespace

QAction* MainWindow::Implementation::action(const QString& id, const QString& title, const QString& icon,
                                            const QKeySequence& keys, std::function<void()> run) {
    auto* made = new QAction(title, &window);
    made->setObjectName(id);
    made->setShortcut(keys);
    if (!keys.isEmpty())
        made->setToolTip(withoutMnemonic(title) + u" ("_s + keys.toString(QKeySequence::NativeText) + QLatin1Char(')'));
    QObject::connect(made, &QAction::triggered, context.get(), std::move(run));
    window.addAction(made);
    actions.insert(id, made);
    if (!icon.isEmpty()) actionIcons.insert(made, icon);
    return made;
}

void MainWindow::Implementation::buildActions() {
    const auto add = [this](const char* id, const QString& title, const char* icon, const QKeySequence& keys,
                            std::function<void()> call) {
        return action(QLatin1String(id), title, QLatin1String(icon), keys, std::move(call));
    };
    const auto key = [](const char* text) { return QKeySequence(QLatin1String(text)); };

    for (const study::Engine& engine : study::engines()) {
        const bool first = &engine == &study::engines().front();
        action(newStudyAction(engine), newStudyText(engine), iconOf(engine),
               first ? QKeySequence(QKeySequence::New) : QKeySequence(),
               [this, &engine] { newStudy(acceptsModels(engine) ? currentModel() : QString(), {}, engine.id); });
    }
    add("new-fleet", u"New &fleet"_s, "fleet", {}, [this] { open(u"hardware"_s, u"new/fleet"_s); });
    add("new-accelerator", u"New &accelerator"_s, "accelerator", {},
        [this] { open(u"hardware"_s, u"new/accelerator"_s); });
    add("new-platform", u"New &platform"_s, "platform", {}, [this] { open(u"hardware"_s, u"new/platform"_s); });
    add("new-template", u"New &template"_s, "template", {}, [this] { open(u"hardware"_s, u"new/template"_s); });
    add("new-workload", u"New &workload"_s, "jobs", {}, [this] { open(u"hardware"_s, u"new/workload"_s); });
    add("open", u"&Open…"_s, "open", QKeySequence::Open, [this] {
        asker().openFile(window, u"Open"_s, openFilter(), [this](const QString& path) { importFile(path); });
    });
    add("save", u"&Save"_s, "save", QKeySequence::Save, [this] {
        if (Document* document = area->current()) document->save();
    });
    add("choose-history", u"Choose another &history…"_s, "history", {}, [this] { chooseHistory(); });
    add("close-tab", u"&Close tab"_s, "close", QKeySequence::Close, [this] {
        if (Document* document = area->current()) closeDocument(document);
    });
    add("quit", u"&Quit"_s, "", QKeySequence::Quit, [this] { window.close(); });

    add("palette", u"&Find anything"_s, "search", key("Ctrl+K"), [this] { palette->open(); });

    // Two keys, and both whatever pane has the focus.
    add("run", u"&Run"_s, "run", key("F5"), [this] {
        runCurrent();
    })->setShortcuts({key("F5"), key("Ctrl+Return"), key("Ctrl+Enter")});
    add("pause", u"&Pause"_s, "pause", key("Ctrl+Shift+P"), [this] {
        const int job = currentJob();
        jobs->state(job).status == store::RunStatus::paused ? jobs->unpause(job) : jobs->pause(job);
        updateActions();
    });
    add("stop", u"&Stop and keep the best"_s, "stop", key("Shift+F5"), [this] {
        jobs->stop(currentJob());
    })->setIconText(u"Stop"_s);
    add("cancel", u"&Cancel and discard"_s, "cancel", key("Ctrl+Shift+F5"), [this] { jobs->cancel(currentJob()); });
    add("calibrate", u"Calibrate this &machine…"_s, "time", {}, [this] { open(u"calibration"_s, {}); });
    add("validation", u"&Validation against measurements"_s, "validation", {}, [this] { open(u"validation"_s, {}); });
    add("history", u"&History of runs"_s, "history", key("Ctrl+H"), [this] { open(u"history"_s, {}); });
    add("welcome", u"&Welcome page"_s, "home", {}, [this] { open(u"welcome"_s, {}); });

    add("split-right", u"Split &right"_s, "split-right", key("Ctrl+\\"), [this] { area->split(Qt::Horizontal); });
    add("split-down", u"Split &down"_s, "split-down", key("Ctrl+Shift+\\"), [this] { area->split(Qt::Vertical); });
    add("other-side", u"&Move to the other side"_s, "", key("Ctrl+Alt+\\"), [this] { area->moveToOtherSide(); });
    add("next-tab", u"&Next tab"_s, "", key("Ctrl+Tab"), [this] { area->nextTab(1); });
    add("previous-tab", u"&Previous tab"_s, "", key("Ctrl+Shift+Tab"), [this] { area->nextTab(-1); });
    add("next-pane", u"Next p&ane"_s, "", key("F6"), [this] { cyclePanes(1); });
    add("previous-pane", u"Pre&vious pane"_s, "", key("Shift+F6"), [this] { cyclePanes(-1); });
    add("filter-library", u"Filter the &library"_s, "", key("Ctrl+L"), [this] {
        docks[0]->show();
        library->filter()->setFocus();
        library->filter()->selectAll();
    });
    QAction* alone = add("alone", u"Show the p&icture alone"_s, "expand", key("F"), [this] {
        if (Document* document = area->current())
            if (QWidget* picture = pictureOn(*document)) toggleAlone(*picture);
    });
    // A letter is a key of the pages alone: lists in the panes are searched by letters.
    window.removeAction(alone);
    area->addAction(alone);
    alone->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    add("details", u"Show or &fold the details of a run"_s, "table", key("Ctrl+J"), [this] {
        const Document* document = area->current();
        if (const auto* pages = document == nullptr ? nullptr : document->findChild<RunPages*>())
            pages->foldAction()->trigger();
    });
    add("full-screen", u"F&ull screen"_s, "", QKeySequence::FullScreen,
        [this] { window.isFullScreen() ? window.showNormal() : window.showFullScreen(); });
    add("reset-layout", u"R&eset the layout"_s, "reset", key("Ctrl+Shift+R"), [this] { resetLayout(); });

    // Also in panes that were taken out of the window, and in dialogs beside it or above it.
    QAction* help = add("help", u"&Help on this"_s, "guide", key("F1"), [this] { showHelp(); });
    help->setShortcutContext(Qt::ApplicationShortcut);
    new DialogHelp(*help);
    add("guide", u"&Guide"_s, "guide", {}, [this] { showGuide({}); });
    add("shortcuts", u"&Keyboard shortcuts"_s, "keyboard", key("Ctrl+F1"), [this] { showShortcuts(); });
    add("equivalents", u"&Window and command line"_s, "", {}, [this] {
        const auto titleOf = [this](const QString& id) {
            const QAction* its = actions.value(id);
            return its == nullptr ? QString() : its->text();
        };
        newEquivalentsDialog(&window, titleOf)->open();
    });
    add("about", u"&About Tessera"_s, "", {}, [this] { showAbout(); });

    auto* group = new QActionGroup(&window);
    const QString mode = QSettings().value(u"theme/mode"_s, u"system"_s).toString();
    for (const ThemeRow& row : kThemes) {
        QAction* each = add((std::string("theme-") + row.id).c_str(), QString::fromUtf8(row.title), "", {},
                            [this, id = QString::fromLatin1(row.id)] { setTheme(id); });
        each->setCheckable(true);
        each->setChecked(mode == QLatin1String(row.id));
        group->addAction(each);
    }
}

QString MainWindow::Implementation::pauseText(bool paused) {
    return paused ? u"&Continue"_s : u"&Pause"_s;
}

void MainWindow::Implementation::setTheme(const QString& mode) {
    for (const ThemeRow& row : kThemes)
        if (mode == QLatin1String(row.id)) theme().apply(row.mode);
    QSettings().setValue(u"theme/mode"_s, mode);
}

void MainWindow::Implementation::buildMenus() {
    const auto fill = [this](QMenu* menu, std::initializer_list<const char*> ids) {
        for (const char* id : ids)
            if (*id == '\0')
                menu->addSeparator();
            else
                menu->addAction(actions.value(QLatin1String(id)));
    };
    QMenuBar* bar = window.menuBar();
    QMenu* file = bar->addMenu(u"&File"_s);
    QMenu* studies = file->addMenu(u"New &study"_s);
    for (const study::Engine& engine : study::engines()) studies->addAction(actions.value(newStudyAction(engine)));
    fill(file, {"new-fleet", "new-accelerator", "new-platform", "new-template", "new-workload", "", "open"});
    recentMenu = file->addMenu(u"Open &recent"_s);
    fill(file, {"", "save"});
    exportMenu = file->addMenu(u"&Export"_s);
    fill(file, {"", "choose-history", "", "close-tab", "quit"});

    QMenu* edit = bar->addMenu(u"&Edit"_s);
    const auto undoAction = [&](QAction* made, const char* id, const char* icon, const QKeySequence& keys) {
        made->setShortcut(keys);
        made->setObjectName(QLatin1String(id));
        actions.insert(QLatin1String(id), made);
        actionIcons.insert(made, QLatin1String(icon));
        edit->addAction(made);
    };
    undoAction(undo.createUndoAction(&window, u"&Undo"_s), "undo", "undo", QKeySequence::Undo);
    undoAction(undo.createRedoAction(&window, u"&Redo"_s), "redo", "redo", QKeySequence::Redo);
    edit->addSeparator();
    fill(edit, {"palette"});

    QMenu* view = bar->addMenu(u"&View"_s);
    for (QDockWidget* each : docks) view->addAction(each->toggleViewAction());
    QMenu* out = view->addMenu(u"Take o&ut of the window"_s);
    for (const QDockWidget* each : docks)
        if (const auto* title = qobject_cast<DockTitle*>(each->titleBarWidget())) out->addAction(title->floating());
    fill(view, {"", "split-right", "split-down", "other-side", "next-tab", "previous-tab", "", "next-pane",
                "previous-pane", "filter-library", "", "alone", "details", ""});
    QMenu* themes = view->addMenu(u"&Theme"_s);
    fill(themes, {"theme-system", "theme-light", "theme-dark"});
    fill(view, {"full-screen", "reset-layout"});

    fill(bar->addMenu(u"&Run"_s), {"run", "pause", "stop", "cancel", "", "calibrate", "validation", "", "history"});
    documentMenu = bar->addMenu(u"&Document"_s);
    fill(bar->addMenu(u"&Help"_s), {"help", "guide", "", "welcome", "shortcuts", "equivalents", "", "about"});

    QObject::connect(recentMenu, &QMenu::aboutToShow, context.get(), [this] { fillRecentMenu(); });
    QObject::connect(documentMenu, &QMenu::aboutToShow, context.get(), [this] { fillDocumentMenu(); });
    QObject::connect(exportMenu, &QMenu::aboutToShow, context.get(), [this] { fillExportMenu(); });
}

void MainWindow::Implementation::fillRecentMenu() {
    recentMenu->clear();
    for (const RecentFiles::Entry& entry : recent.entries()) {
        QAction* each = recentMenu->addAction(theme().icon(entry.icon, "secondary"), inMenu(entry.path));
        QObject::connect(each, &QAction::triggered, context.get(), [this, entry] { open(entry.kind, entry.path); });
    }
    if (recent.entries().isEmpty()) recentMenu->addAction(u"No file was opened yet"_s)->setEnabled(false);
    recentMenu->addSeparator();
    QAction* clear = recentMenu->addAction(u"Clear this list"_s);
    clear->setEnabled(!recent.entries().isEmpty());
    QObject::connect(clear, &QAction::triggered, context.get(), [this] { recent.clear(); });
}

void MainWindow::Implementation::fillDocumentMenu() {
    documentMenu->clear();
    if (Document* document = area->current())
        for (QAction* each : document->documentActions()) documentMenu->addAction(each);
    if (documentMenu->isEmpty()) documentMenu->addAction(u"This page has no actions of its own"_s)->setEnabled(false);
}

void MainWindow::Implementation::fillExportMenu() {
    exportMenu->clear();
    Document* document = area->current();
    const QVector<Exportable> all = document == nullptr ? QVector<Exportable>{} : document->exportables();
    for (const Exportable& each : all)
        addExportActions(*exportMenu->addMenu(inMenu(each.title.isEmpty() ? each.name : each.title)), *document,
                         [each] { return each; });
    if (all.isEmpty()) exportMenu->addAction(u"This page has nothing to export"_s)->setEnabled(false);
}

void MainWindow::Implementation::fillLibraryMenus() {
    const auto fill = [this](QMenu* menu, const QString& kind, const QString& icon,
                             const QVector<LibraryContents::Entry>& entries) {
        std::map<QString, QMenu*> groups;
        for (const LibraryContents::Entry& entry : entries) {
            QMenu*& group = groups[entry.group];
            if (group == nullptr)
                group = entry.group.isEmpty()
                            ? menu
                            : menu->addMenu(theme().icon(icon, "secondary"), inMenu(asHeading(entry.group)));
            QAction* each = group->addAction(theme().icon(icon, "secondary"), inMenu(entry.title));
            each->setToolTip((entry.problem.isEmpty() ? entry.help : entry.problem).toHtmlEscaped());
            each->setEnabled(entry.problem.isEmpty());
            QObject::connect(each, &QAction::triggered, context.get(),
                             [this, kind, key = entry.key] { open(kind, key); });
        }
    };
    empty(modelMenu);
    modelMenu->addAction(actions.value(u"open"_s));
    modelMenu->addSeparator();
    fill(modelMenu, u"model"_s, u"model"_s, contents.models);
    empty(hardwareMenu);
    for (const char* id : {"new-fleet", "new-accelerator", "new-platform", "new-template", "calibrate"})
        hardwareMenu->addAction(actions.value(QLatin1String(id)));
    hardwareMenu->addSeparator();
    for (const auto& [title, icon, entries] : {std::tuple(u"&Fleets"_s, "fleet", &contents.fleets),
                                               std::tuple(u"&Accelerators"_s, "accelerator", &contents.accelerators),
                                               std::tuple(u"&Platforms"_s, "platform", &contents.platforms),
                                               std::tuple(u"&Templates"_s, "template", &contents.templates),
                                               std::tuple(u"&Workloads"_s, "jobs", &contents.workloads)})
        fill(hardwareMenu->addMenu(theme().icon(QLatin1String(icon), "secondary"), title), u"hardware"_s,
             QLatin1String(icon), *entries);
    empty(studyMenu);
    for (const study::Engine& engine : study::engines()) studyMenu->addAction(actions.value(newStudyAction(engine)));
    studyMenu->addSeparator();
    fill(studyMenu, u"study"_s, u"study"_s, contents.studies);
}

void MainWindow::Implementation::updateActions() {
    Document* document = area->current();
    const RunState state = jobs->state(currentJob());
    const bool working = currentJob() != 0 && isWorking(state.status);
    const bool paused = state.status == store::RunStatus::paused;
    actions[u"run"_s]->setEnabled(canRun(document));
    actions[u"save"_s]->setEnabled(document != nullptr && document->isModified());
    for (const char* id : {"pause", "stop", "cancel"}) actions[QLatin1String(id)]->setEnabled(working);
    actions[u"pause"_s]->setText(pauseText(paused));
    for (const char* id : {"split-right", "split-down"})
        actions[QLatin1String(id)]->setEnabled(area->documents().size() > 1);
    actions[u"other-side"_s]->setEnabled(area->documents().size() > 1);
    window.setWindowTitle(document == nullptr || document->kind() == QLatin1String("welcome")
                              ? u"Tessera"_s
                              : u"%1 – Tessera"_s.arg(document->title()));
}

void MainWindow::Implementation::runCurrent() {
    Document* document = area->current();
    if (auto* study = qobject_cast<StudyDocument*>(document)) {
        study->requestRun();
        return;
    }
    if (auto* run = qobject_cast<RunDocument*>(document); run != nullptr && !run->state().study.engine.empty()) {
        runAgain(*run);
        return;
    }
}

QString MainWindow::Implementation::currentModel() const {
    const Document* document = area->current();
    return document != nullptr && document->kind() == QLatin1String("model") ? document->key() : QString();
}

int MainWindow::Implementation::currentJob() const {
    if (const auto* run = qobject_cast<RunDocument*>(area->current()); run != nullptr && run->state().job != 0)
        return run->state().job;
    for (const int job : jobs->jobs())
        if (isWorking(jobs->state(job).status)) return job;
    return 0;
}

namespace {

/// The pages of a document, such as the sweeps of a run.
void addPages(QVector<CommandPalette::Item>& items, const Document& document) {
    for (auto* tabs : document.findChildren<QTabWidget*>()) {
        if (!tabs->isVisible()) continue;
        const QString part = tabs->accessibleName().isEmpty() ? u"Page"_s : tabs->accessibleName();
        for (int page = 0; page < tabs->count(); ++page)
            if (tabs->isTabVisible(page) && tabs->isTabEnabled(page))
                items.append({.id = u"page:%1:%2"_s.arg(part, tabs->tabText(page)),
                              .title = withoutMnemonic(tabs->tabText(page)),
                              .aside = u"%1 of %2"_s.arg(part, document.title()),
                              .icon = u"table"_s,
                              .run = [guard = QPointer<QTabWidget>(tabs), page] {
                                  if (guard) guard->setCurrentIndex(page);
                              }});
    }
}

}  // namespace

QVector<CommandPalette::Item> MainWindow::Implementation::paletteItems() const {
    QVector<CommandPalette::Item> items;
    const auto add = [&](const QString& kind, const QString& word, const QString& icon, const QString& key,
                         const QString& title) {
        items.append({.id = kind + QLatin1Char(':') + key,
                      .title = title,
                      .aside = word,
                      .icon = icon,
                      .run = [this, kind, key] { const_cast<Implementation*>(this)->open(kind, key); }});
    };
    const auto addAll = [&](const QVector<LibraryContents::Entry>& entries, const QString& kind, const QString& word,
                            const QString& icon) {
        for (const LibraryContents::Entry& entry : entries) add(kind, word, icon, entry.key, entry.title);
    };
    const QString hardware = u"hardware"_s;
    addAll(contents.studies, u"study"_s, u"Study"_s, u"study"_s);
    addAll(contents.models, u"model"_s, u"Model"_s, u"model"_s);
    addAll(contents.fleets, hardware, u"Fleet"_s, u"fleet"_s);
    addAll(contents.accelerators, hardware, u"Accelerator"_s, u"accelerator"_s);
    addAll(contents.platforms, hardware, u"Platform"_s, u"platform"_s);
    addAll(contents.templates, hardware, u"Template"_s, u"template"_s);
    addAll(contents.workloads, hardware, u"Workload"_s, u"jobs"_s);
    for (const GuidePage& page : guidePages())
        items.append({.id = u"guide:"_s + page.id,
                      .title = page.title,
                      .aside = u"Guide"_s,
                      .icon = u"guide"_s,
                      .run = [this, page] { const_cast<Implementation*>(this)->showGuide({page.id}); }});
    for (const RecentFiles::Entry& entry : recent.entries())
        add(entry.kind, u"File"_s, u"file"_s, entry.path, QFileInfo(entry.path).fileName());
    for (const store::RunRow& row : latestRuns)
        add(u"run"_s, u"Run %1"_s.arg(row.id), u"run"_s, u"run/%1"_s.arg(row.id),
            row.name.empty() ? u"Run %1"_s.arg(row.id) : shown(row.name));
    if (const Document* document = area->current()) addPages(items, *document);
    QVector<QAction*> all(actions.begin(), actions.end());
    if (Document* document = area->current()) all.append(document->documentActions());
    for (QAction* each : all) {
        if (!each->isEnabled() || each->text().isEmpty() || each->objectName() == QLatin1String("palette")) continue;
        QString title = withoutMnemonic(each->text());
        if (each->objectName().startsWith(QLatin1String("theme-"))) title = u"Theme: %1"_s.arg(title);
        const QString keys = each->shortcut().toString(QKeySequence::NativeText);
        items.append({.id = u"action:"_s + (each->objectName().isEmpty() ? title : each->objectName()),
                      .title = title,
                      .aside = keys.isEmpty() ? u"Action"_s : keys,
                      .icon = actionIcons.value(each, u"right"_s),
                      .run =
                          [guard = QPointer<QAction>(each)] {
                              if (guard) guard->trigger();
                          },
                      .words = otherNames(each->objectName())});
    }
    return items;
}

void MainWindow::Implementation::searchRuns(const QString& typed, const CommandPalette::More& more) {
    constexpr std::int64_t kMax = 12;
    store::HistoryQuery query;
    query.text = typed.toStdString();
    history->ask<std::vector<store::RunRow>>(
        palette, [query](store::Store& store) { return store.query(query, kMax); },
        [this, more](const std::vector<store::RunRow>& rows) {
            QVector<CommandPalette::Item> items;
            for (const store::RunRow& row : rows) {
                const QString key = u"run/%1"_s.arg(row.id);
                items.append({.id = u"run:"_s + key,
                              .title = row.name.empty() ? u"Run %1"_s.arg(row.id) : shown(row.name),
                              .aside = u"Run %1"_s.arg(row.id),
                              .icon = u"run"_s,
                              .run = [this, key] { open(u"run"_s, key); }});
            }
            more(items);
        });
}

void MainWindow::Implementation::showShortcuts() {
    QStringList lines;
    for (const QAction* each : std::as_const(actions))
        if (!each->shortcut().isEmpty())
            lines.append(each->shortcut().toString(QKeySequence::NativeText) + u"   "_s +
                         withoutMnemonic(each->text()));
    lines.sort();
    asker().ask(window,
                {.title = u"Keyboard shortcuts"_s,
                 .sentence = lines.join(QLatin1Char('\n')),
                 .answers = {u"Close"_s},
                 .escape = 0},
                [](int /*answer*/) {});
}

void MainWindow::Implementation::showAbout() {
    asker().ask(window,
                {.title = u"About Tessera"_s,
                 .sentence = u"Tessera %1 explores accelerator choice, placement and model partitioning.\n\n"
                             "Free software under the GNU General Public License, version 3 or later."_s.arg(
                                 QApplication::applicationVersion()),
                 .answers = {u"Close"_s},
                 .escape = 0},
                [](int /*answer*/) {});
}

}  // namespace tessera::ui
