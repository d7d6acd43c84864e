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
#include "ui/workspace/history/importer.h"
#include "ui/workspace/questions.h"
#include "ui/workspace/window/main_window_parts.h"
#include "ui/workspace/words.h"

namespace tessera::ui {

namespace {

struct ThemeRow {
    const char* id;
    const char* title;
    ThemeMode mode;
};
constexpr ThemeRow kThemes[] = {
    {"system", QT_TRANSLATE_NOOP("tessera::ui::MainWindow", "Like the system"), ThemeMode::system},
    {"light", QT_TRANSLATE_NOOP("tessera::ui::MainWindow", "Light"), ThemeMode::light},
    {"dark", QT_TRANSLATE_NOOP("tessera::ui::MainWindow", "Dark"), ThemeMode::dark}};

/// What people also call an action, for the palette.
struct OtherNames {
    const char* id;
    const char* words;
};
constexpr OtherNames kOtherNames[] = {
    {"new-partition-study", QT_TRANSLATE_NOOP("tessera::ui::MainWindow", "split parallelism sharding accpar hypar")},
    {"new-mapping-study",
     QT_TRANSLATE_NOOP("tessera::ui::MainWindow", "map schedule jobs cores race magma sweep bandwidth")},
    {"new-codesign-study",
     QT_TRANSLATE_NOOP("tessera::ui::MainWindow", "design explore architecture pareto front area phaze")},
    {"new-predict-study",
     QT_TRANSLATE_NOOP("tessera::ui::MainWindow", "throughput price cost buy rank market centimani")},
    {"new-fleet", QT_TRANSLATE_NOOP("tessera::ui::MainWindow", "cluster array network topology")},
    {"new-accelerator", QT_TRANSLATE_NOOP("tessera::ui::MainWindow", "chip device gpu tpu hardware")},
    {"new-platform", QT_TRANSLATE_NOOP("tessera::ui::MainWindow", "multi-core sub-accelerator")},
    {"new-template", QT_TRANSLATE_NOOP("tessera::ui::MainWindow", "architecture space range")},
    {"open", QT_TRANSLATE_NOOP("tessera::ui::MainWindow", "import load file onnx")},
    {"save", QT_TRANSLATE_NOOP("tessera::ui::MainWindow", "write store")},
    {"choose-history", QT_TRANSLATE_NOOP("tessera::ui::MainWindow", "database store file")},
    {"history", QT_TRANSLATE_NOOP("tessera::ui::MainWindow", "results past earlier compare")},
    {"calibrate", QT_TRANSLATE_NOOP("tessera::ui::MainWindow", "measure benchmark kernels computer")},
    {"run", QT_TRANSLATE_NOOP("tessera::ui::MainWindow", "start solve go execute")},
    {"pause", QT_TRANSLATE_NOOP("tessera::ui::MainWindow", "hold resume")},
    {"stop", QT_TRANSLATE_NOOP("tessera::ui::MainWindow", "finish end")},
    {"cancel", QT_TRANSLATE_NOOP("tessera::ui::MainWindow", "abort kill discard")},
    {"reset-layout", QT_TRANSLATE_NOOP("tessera::ui::MainWindow", "docks panes windows default")},
    {"full-screen", QT_TRANSLATE_NOOP("tessera::ui::MainWindow", "maximise")},
    {"alone", QT_TRANSLATE_NOOP("tessera::ui::MainWindow", "maximise enlarge zoom chart plot full")},
    {"shortcuts", QT_TRANSLATE_NOOP("tessera::ui::MainWindow", "keys hotkeys bindings")},
    {"welcome", QT_TRANSLATE_NOOP("tessera::ui::MainWindow", "home start examples")},
    {"theme-dark", QT_TRANSLATE_NOOP("tessera::ui::MainWindow", "night appearance colours mode")},
    {"theme-light", QT_TRANSLATE_NOOP("tessera::ui::MainWindow", "day appearance colours mode")},
    {"theme-system", QT_TRANSLATE_NOOP("tessera::ui::MainWindow", "automatic appearance colours mode")},
};

QString otherNames(const QString& id) {
    QStringList words;
    for (const OtherNames& row : kOtherNames)
        if (id == QLatin1String(row.id)) words << MainWindow::tr(row.words);
    for (const study::Engine& engine : study::engines())
        if (id == newStudyAction(engine)) words << toQt(engine.description);
    return words.join(QLatin1Char(' '));
}

QString withoutMnemonic(QString text) {
    text.replace(QStringLiteral("&&"), QStringLiteral("\x01"));
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
    return text.replace(QLatin1Char('&'), QStringLiteral("&&"));
}

}  // namespace

QAction* MainWindow::Implementation::action(const QString& id, const QString& title, const QString& icon,
                                            const QKeySequence& keys, std::function<void()> run) {
    auto* made = new QAction(title, &window);
    made->setObjectName(id);
    made->setShortcut(keys);
    if (!keys.isEmpty())
        made->setToolTip(withoutMnemonic(title) + QStringLiteral(" (") + keys.toString(QKeySequence::NativeText) +
                         QLatin1Char(')'));
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
    add("new-fleet", tr("New &fleet"), "fleet", {},
        [this] { open(QStringLiteral("hardware"), QStringLiteral("new/fleet")); });
    add("new-accelerator", tr("New &accelerator"), "accelerator", {},
        [this] { open(QStringLiteral("hardware"), QStringLiteral("new/accelerator")); });
    add("new-platform", tr("New &platform"), "platform", {},
        [this] { open(QStringLiteral("hardware"), QStringLiteral("new/platform")); });
    add("new-template", tr("New &template"), "template", {},
        [this] { open(QStringLiteral("hardware"), QStringLiteral("new/template")); });
    add("new-workload", tr("New &workload"), "jobs", {},
        [this] { open(QStringLiteral("hardware"), QStringLiteral("new/workload")); });
    add("open", tr("&Open…"), "open", QKeySequence::Open, [this] {
        asker().openFile(window, tr("Open"), openFilter(), [this](const QString& path) { importFile(path); });
    });
    add("save", tr("&Save"), "save", QKeySequence::Save, [this] {
        if (Document* document = area->current()) document->save();
    });
    add("choose-history", tr("Choose another &history…"), "history", {}, [this] { chooseHistory(); });
    add("close-tab", tr("&Close tab"), "close", QKeySequence::Close, [this] {
        if (Document* document = area->current()) closeDocument(document);
    });
    add("quit", tr("&Quit"), "", QKeySequence::Quit, [this] { window.close(); });

    add("palette", tr("&Find anything"), "search", key("Ctrl+K"), [this] { palette->open(); });

    // Two keys, and both whatever pane has the focus.
    add("run", tr("&Run"), "run", key("F5"), [this] {
        runCurrent();
    })->setShortcuts({key("F5"), key("Ctrl+Return"), key("Ctrl+Enter")});
    add("pause", tr("&Pause"), "pause", key("Ctrl+Shift+P"), [this] {
        const int job = currentJob();
        jobs->state(job).status == store::RunStatus::paused ? jobs->unpause(job) : jobs->pause(job);
        updateActions();
    });
    add("stop", tr("&Stop and keep the best"), "stop", key("Shift+F5"), [this] {
        jobs->stop(currentJob());
    })->setIconText(tr("Stop"));
    add("cancel", tr("&Cancel and discard"), "cancel", key("Ctrl+Shift+F5"), [this] { jobs->cancel(currentJob()); });
    add("calibrate", tr("Calibrate this &machine…"), "time", {}, [this] { open(QStringLiteral("calibration"), {}); });
    add("history", tr("&History of runs"), "history", key("Ctrl+H"), [this] { open(QStringLiteral("history"), {}); });
    add("welcome", tr("&Welcome page"), "home", {}, [this] { open(QStringLiteral("welcome"), {}); });

    add("split-right", tr("Split &right"), "split-right", key("Ctrl+\\"), [this] { area->split(Qt::Horizontal); });
    add("split-down", tr("Split &down"), "split-down", key("Ctrl+Shift+\\"), [this] { area->split(Qt::Vertical); });
    add("other-side", tr("&Move to the other side"), "", key("Ctrl+Alt+\\"), [this] { area->moveToOtherSide(); });
    add("next-tab", tr("&Next tab"), "", key("Ctrl+Tab"), [this] { area->nextTab(1); });
    add("previous-tab", tr("&Previous tab"), "", key("Ctrl+Shift+Tab"), [this] { area->nextTab(-1); });
    add("next-pane", tr("Next p&ane"), "", key("F6"), [this] { cyclePanes(1); });
    add("previous-pane", tr("Pre&vious pane"), "", key("Shift+F6"), [this] { cyclePanes(-1); });
    add("filter-library", tr("Filter the &library"), "", key("Ctrl+L"), [this] {
        docks[0]->show();
        library->filter()->setFocus();
        library->filter()->selectAll();
    });
    QAction* alone = add("alone", tr("Show the p&icture alone"), "expand", key("F"), [this] {
        if (Document* document = area->current())
            if (QWidget* picture = pictureOn(*document)) toggleAlone(*picture);
    });
    // A letter is a key of the pages alone: lists in the panes are searched by letters.
    window.removeAction(alone);
    area->addAction(alone);
    alone->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    add("details", tr("Show or &fold the details of a run"), "table", key("Ctrl+J"), [this] {
        const Document* document = area->current();
        if (const auto* pages = document == nullptr ? nullptr : document->findChild<RunPages*>())
            pages->foldAction()->trigger();
    });
    add("full-screen", tr("F&ull screen"), "", QKeySequence::FullScreen,
        [this] { window.isFullScreen() ? window.showNormal() : window.showFullScreen(); });
    add("reset-layout", tr("R&eset the layout"), "reset", key("Ctrl+Shift+R"), [this] { resetLayout(); });

    add("shortcuts", tr("&Keyboard shortcuts"), "", key("F1"), [this] { showShortcuts(); });
    add("about", tr("&About Tessera"), "", {}, [this] { showAbout(); });

    auto* group = new QActionGroup(&window);
    const QString mode = QSettings().value(QStringLiteral("theme/mode"), QStringLiteral("system")).toString();
    for (const ThemeRow& row : kThemes) {
        QAction* each = add((std::string("theme-") + row.id).c_str(), tr(row.title), "", {},
                            [this, id = QString::fromLatin1(row.id)] { setTheme(id); });
        each->setCheckable(true);
        each->setChecked(mode == QLatin1String(row.id));
        group->addAction(each);
    }
}

QString MainWindow::Implementation::pauseText(bool paused) {
    return paused ? tr("&Continue") : tr("&Pause");
}

void MainWindow::Implementation::setTheme(const QString& mode) {
    for (const ThemeRow& row : kThemes)
        if (mode == QLatin1String(row.id)) theme().apply(row.mode);
    QSettings().setValue(QStringLiteral("theme/mode"), mode);
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
    QMenu* file = bar->addMenu(tr("&File"));
    QMenu* studies = file->addMenu(tr("New &study"));
    for (const study::Engine& engine : study::engines()) studies->addAction(actions.value(newStudyAction(engine)));
    fill(file, {"new-fleet", "new-accelerator", "new-platform", "new-template", "new-workload", "", "open"});
    recentMenu = file->addMenu(tr("Open &recent"));
    fill(file, {"", "save"});
    exportMenu = file->addMenu(tr("&Export"));
    fill(file, {"", "choose-history", "", "close-tab", "quit"});

    QMenu* edit = bar->addMenu(tr("&Edit"));
    const auto undoAction = [&](QAction* made, const char* id, const char* icon, const QKeySequence& keys) {
        made->setShortcut(keys);
        made->setObjectName(QLatin1String(id));
        actions.insert(QLatin1String(id), made);
        actionIcons.insert(made, QLatin1String(icon));
        edit->addAction(made);
    };
    undoAction(undo.createUndoAction(&window, tr("&Undo")), "undo", "undo", QKeySequence::Undo);
    undoAction(undo.createRedoAction(&window, tr("&Redo")), "redo", "redo", QKeySequence::Redo);
    edit->addSeparator();
    fill(edit, {"palette"});

    QMenu* view = bar->addMenu(tr("&View"));
    for (QDockWidget* each : docks) view->addAction(each->toggleViewAction());
    QMenu* out = view->addMenu(tr("Take o&ut of the window"));
    for (const QDockWidget* each : docks)
        if (const auto* title = qobject_cast<DockTitle*>(each->titleBarWidget())) out->addAction(title->floating());
    fill(view, {"", "split-right", "split-down", "other-side", "next-tab", "previous-tab", "", "next-pane",
                "previous-pane", "filter-library", "", "alone", "details", ""});
    QMenu* themes = view->addMenu(tr("&Theme"));
    fill(themes, {"theme-system", "theme-light", "theme-dark"});
    fill(view, {"full-screen", "reset-layout"});

    fill(bar->addMenu(tr("&Run")), {"run", "pause", "stop", "cancel", "", "calibrate", "", "history"});
    documentMenu = bar->addMenu(tr("&Document"));
    fill(bar->addMenu(tr("&Help")), {"welcome", "shortcuts", "", "about"});

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
    if (recent.entries().isEmpty()) recentMenu->addAction(tr("No file was opened yet"))->setEnabled(false);
    recentMenu->addSeparator();
    QAction* clear = recentMenu->addAction(tr("Clear this list"));
    clear->setEnabled(!recent.entries().isEmpty());
    QObject::connect(clear, &QAction::triggered, context.get(), [this] { recent.clear(); });
}

void MainWindow::Implementation::fillDocumentMenu() {
    documentMenu->clear();
    if (Document* document = area->current())
        for (QAction* each : document->documentActions()) documentMenu->addAction(each);
    if (documentMenu->isEmpty()) documentMenu->addAction(tr("This page has no actions of its own"))->setEnabled(false);
}

void MainWindow::Implementation::fillExportMenu() {
    exportMenu->clear();
    Document* document = area->current();
    const QVector<Exportable> all = document == nullptr ? QVector<Exportable>{} : document->exportables();
    for (const Exportable& each : all)
        addExportActions(*exportMenu->addMenu(inMenu(each.title.isEmpty() ? each.name : each.title)), *document,
                         [each] { return each; });
    if (all.isEmpty()) exportMenu->addAction(tr("This page has nothing to export"))->setEnabled(false);
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
    modelMenu->addAction(actions.value(QStringLiteral("open")));
    modelMenu->addSeparator();
    fill(modelMenu, QStringLiteral("model"), QStringLiteral("model"), contents.models);
    empty(hardwareMenu);
    for (const char* id : {"new-fleet", "new-accelerator", "new-platform", "new-template", "calibrate"})
        hardwareMenu->addAction(actions.value(QLatin1String(id)));
    hardwareMenu->addSeparator();
    for (const auto& [title, icon, entries] : {std::tuple(tr("&Fleets"), "fleet", &contents.fleets),
                                               std::tuple(tr("&Accelerators"), "accelerator", &contents.accelerators),
                                               std::tuple(tr("&Platforms"), "platform", &contents.platforms),
                                               std::tuple(tr("&Templates"), "template", &contents.templates),
                                               std::tuple(tr("&Workloads"), "jobs", &contents.workloads)})
        fill(hardwareMenu->addMenu(theme().icon(QLatin1String(icon), "secondary"), title), QStringLiteral("hardware"),
             QLatin1String(icon), *entries);
    empty(studyMenu);
    for (const study::Engine& engine : study::engines()) studyMenu->addAction(actions.value(newStudyAction(engine)));
    studyMenu->addSeparator();
    fill(studyMenu, QStringLiteral("study"), QStringLiteral("study"), contents.studies);
}

void MainWindow::Implementation::updateActions() {
    Document* document = area->current();
    const RunState state = jobs->state(currentJob());
    const bool working = currentJob() != 0 && isWorking(state.status);
    const bool paused = state.status == store::RunStatus::paused;
    actions[QStringLiteral("run")]->setEnabled(canRun(document));
    actions[QStringLiteral("save")]->setEnabled(document != nullptr && document->isModified());
    for (const char* id : {"pause", "stop", "cancel"}) actions[QLatin1String(id)]->setEnabled(working);
    actions[QStringLiteral("pause")]->setText(pauseText(paused));
    for (const char* id : {"split-right", "split-down"})
        actions[QLatin1String(id)]->setEnabled(area->documents().size() > 1);
    actions[QStringLiteral("other-side")]->setEnabled(area->documents().size() > 1);
    window.setWindowTitle(document == nullptr || document->kind() == QLatin1String("welcome")
                              ? tr("Tessera")
                              : tr("%1 – Tessera").arg(document->title()));
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
        const QString part = tabs->accessibleName().isEmpty() ? MainWindow::tr("Page") : tabs->accessibleName();
        for (int page = 0; page < tabs->count(); ++page)
            if (tabs->isTabVisible(page) && tabs->isTabEnabled(page))
                items.append({.id = QStringLiteral("page:%1:%2").arg(part, tabs->tabText(page)),
                              .title = withoutMnemonic(tabs->tabText(page)),
                              .aside = MainWindow::tr("%1 of %2").arg(part, document.title()),
                              .icon = QStringLiteral("table"),
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
    const QString hardware = QStringLiteral("hardware");
    addAll(contents.studies, QStringLiteral("study"), tr("Study"), QStringLiteral("study"));
    addAll(contents.models, QStringLiteral("model"), tr("Model"), QStringLiteral("model"));
    addAll(contents.fleets, hardware, tr("Fleet"), QStringLiteral("fleet"));
    addAll(contents.accelerators, hardware, tr("Accelerator"), QStringLiteral("accelerator"));
    addAll(contents.platforms, hardware, tr("Platform"), QStringLiteral("platform"));
    addAll(contents.templates, hardware, tr("Template"), QStringLiteral("template"));
    addAll(contents.workloads, hardware, tr("Workload"), QStringLiteral("jobs"));
    for (const RecentFiles::Entry& entry : recent.entries())
        add(entry.kind, tr("File"), QStringLiteral("file"), entry.path, QFileInfo(entry.path).fileName());
    for (const store::RunRow& row : latestRuns)
        add(QStringLiteral("run"), tr("Run %1").arg(row.id), QStringLiteral("run"),
            QStringLiteral("run/%1").arg(row.id), row.name.empty() ? tr("Run %1").arg(row.id) : shown(row.name));
    if (const Document* document = area->current()) addPages(items, *document);
    QVector<QAction*> all(actions.begin(), actions.end());
    if (Document* document = area->current()) all.append(document->documentActions());
    for (QAction* each : all) {
        if (!each->isEnabled() || each->text().isEmpty() || each->objectName() == QLatin1String("palette")) continue;
        QString title = withoutMnemonic(each->text());
        if (each->objectName().startsWith(QLatin1String("theme-"))) title = tr("Theme: %1").arg(title);
        const QString keys = each->shortcut().toString(QKeySequence::NativeText);
        items.append({.id = QStringLiteral("action:") + (each->objectName().isEmpty() ? title : each->objectName()),
                      .title = title,
                      .aside = keys.isEmpty() ? tr("Action") : keys,
                      .icon = actionIcons.value(each, QStringLiteral("right")),
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
                const QString key = QStringLiteral("run/%1").arg(row.id);
                items.append({.id = QStringLiteral("run:") + key,
                              .title = row.name.empty() ? tr("Run %1").arg(row.id) : shown(row.name),
                              .aside = tr("Run %1").arg(row.id),
                              .icon = QStringLiteral("run"),
                              .run = [this, key] { open(QStringLiteral("run"), key); }});
            }
            more(items);
        });
}

void MainWindow::Implementation::showShortcuts() {
    QStringList lines;
    for (const QAction* each : std::as_const(actions))
        if (!each->shortcut().isEmpty())
            lines.append(each->shortcut().toString(QKeySequence::NativeText) + QStringLiteral("   ") +
                         withoutMnemonic(each->text()));
    lines.sort();
    asker().ask(window,
                {.title = tr("Keyboard shortcuts"),
                 .sentence = lines.join(QLatin1Char('\n')),
                 .answers = {tr("Close")},
                 .escape = 0},
                [](int /*answer*/) {});
}

void MainWindow::Implementation::showAbout() {
    asker().ask(window,
                {.title = tr("About Tessera"),
                 .sentence = tr("Tessera %1 explores accelerator choice, placement and model partitioning.\n\n"
                                "Free software under the GNU General Public License, version 3 or later.")
                                 .arg(QApplication::applicationVersion()),
                 .answers = {tr("Close")},
                 .escape = 0},
                [](int /*answer*/) {});
}

}  // namespace tessera::ui
