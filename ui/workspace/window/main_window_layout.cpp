#include <QApplication>
#include <QDockWidget>
#include <QMenu>
#include <QMenuBar>
#include <QStatusBar>
#include <QToolBar>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/editors/hardware_document.h"
#include "ui/theme/theme.h"
#include "ui/views/document.h"
#include "ui/views/focus_start.h"
#include "ui/workspace/dock_title.h"
#include "ui/workspace/inspector_panel.h"
#include "ui/workspace/library_watcher.h"
#include "ui/workspace/pane_widths.h"
#include "ui/workspace/selection_pane.h"
#include "ui/workspace/status_line.h"
#include "ui/workspace/window/main_window_parts.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

constexpr int kWidth = 1280, kHeight = 800;  // of the first start, in pixels
constexpr int kMinCentre = 30;               // in spacing steps, either way
constexpr int kBottomHeight = 25;
/// Minimum, first and maximum width of the panes at the sides, in spacing steps.
struct SideWidths {
    int min, first, max;
};
constexpr SideWidths kLibrary{50, 60, 120}, kInspector{60, 64, 100};

}  // namespace

MainWindow::Implementation::Implementation(MainWindow& owner, const Options& given) : window(owner), options(given) {}

/// Runs end before the history that they are written into.
MainWindow::Implementation::~Implementation() {
    giveUpRestoring();
    context.reset();
    delete jobs;
    delete history;
}

void MainWindow::Implementation::build() {
    window.setWindowTitle(u"Tessera"_s);
    window.setWindowIcon(theme().applicationIcon());
    window.setAcceptDrops(true);
    window.setDockNestingEnabled(true);
    window.setAccessibleName(u"Tessera"_s);
    window.resize(kWidth, kHeight);
    window.statusBar()->setSizeGripEnabled(false);
    history = new History;
    jobs = new JobQueue({});

    auto* centre = new QWidget;
    // No document makes the panes beside it give way: what it has no room for wraps, scrolls or is left out.
    centre->setMinimumSize(theme().spacing(kMinCentre), theme().spacing(kMinCentre));
    auto* column = bareLayout<QVBoxLayout>(centre, 0);
    notices = new QVBoxLayout;
    notices->setSpacing(0);
    column->addLayout(notices);
    area = new DocumentArea;
    column->addWidget(area, 1);
    window.setCentralWidget(centre);

    buildDocks();
    buildActions();
    buildToolBar();
    buildStatusLine();
    buildMenus();
    palette = new CommandPalette(&window);
    palette->setItems([this] { return paletteItems(); });
    palette->setSearch([this](const QString& typed, const CommandPalette::More& more) { searchRuns(typed, more); });

    QObject::connect(area, &DocumentArea::currentChanged, context.get(),
                     [this](Document* now) { documentChanged(now); });
    QObject::connect(area, &DocumentArea::closeRequested, context.get(),
                     [this](Document* which) { closeDocument(which); });
    QObject::connect(area, &DocumentArea::emptied, context.get(), [this] { open(u"welcome"_s, {}); });
    QObject::connect(jobs, &JobQueue::changed, context.get(), [this](int job) { jobChanged(job); });
    QObject::connect(jobs, &JobQueue::finished, context.get(), [this](int job) { jobFinished(job); });
    QObject::connect(jobs, &JobQueue::added, context.get(), [this] { updateActions(); });
    QObject::connect(jobs, &JobQueue::troubled, context.get(),
                     [this](const QString& sentence) { say(MessagesPanel::Tone::error, sentence); });
    QObject::connect(history, &History::opened, context.get(),
                     [this](const QString& notice, bool readOnly) { historyOpened(notice, readOnly); });
    QObject::connect(history, &History::failed, context.get(),
                     [this](store::StoreProblem problem, const QString& text) { historyFailed(problem, text); });
    QObject::connect(history, &History::troubled, context.get(),
                     [this](const QString& sentence) { say(MessagesPanel::Tone::error, sentence); });
    QObject::connect(history, &History::changed, context.get(), [this] { refreshRuns(); });
    QObject::connect(&theme(), &Theme::changed, context.get(), [this] { refreshIcons(); });
    QObject::connect(&recent, &RecentFiles::changed, context.get(), [this] {
        library->setRecent(recent.entries());
        offerChoices();
    });
    library->setRecent(recent.entries());
    watcher = new LibraryWatcher(context.get());
    QObject::connect(watcher, &LibraryWatcher::read, context.get(), [this](const LibraryContents& read) {
        contents = read;
        library->setContents(read);
        fillLibraryMenus();
        offerChoices();
    });
    resetLayout();
    restoreSession();
    refreshIcons();
    updateActions();
}

QDockWidget* MainWindow::Implementation::dock(const QString& id, const QString& title, QWidget* content,
                                              Qt::DockWidgetArea where) {
    auto* made = new QDockWidget(title, &window);
    made->setObjectName(id);
    made->setAccessibleName(title);
    made->setWidget(content);
    made->setTitleBarWidget(new DockTitle(*made));
    content->setAttribute(Qt::WA_StyledBackground);
    setLook(*content, "ground", "surface");
    window.addDockWidget(where, made);
    made->setMinimumSize(theme().spacing(kMinCentre), theme().spacing(kMinCentre) / 2);
    docks.append(made);
    return made;
}

void MainWindow::Implementation::buildDocks() {
    library = new LibraryPanel;
    inspector = new InspectorPanel;
    jobsPanel = new JobsPanel(*jobs);
    messages = new MessagesPanel;
    sides = new PaneWidths(window);
    const auto side = [this](QDockWidget* pane, const SideWidths& widths) {
        sides->add(*pane, theme().spacing(widths.min), theme().spacing(widths.first), theme().spacing(widths.max));
        return pane;
    };
    side(dock(u"library"_s, u"Library"_s, library, Qt::LeftDockWidgetArea), kLibrary);
    inspectorPane =
        new SelectionPane(*side(dock(u"inspector"_s, u"Inspector"_s, inspector, Qt::RightDockWidgetArea), kInspector));
    dock(u"jobs"_s, u"Jobs"_s, jobsPanel, Qt::BottomDockWidgetArea);
    dock(u"messages"_s, u"Messages"_s, messages, Qt::BottomDockWidgetArea);

    QObject::connect(library, &LibraryPanel::openRequested, context.get(),
                     [this](const QString& kind, const QString& key) { open(kind, key); });
    QObject::connect(library, &LibraryPanel::newStudyRequested, context.get(),
                     [this](const QString& model, const QString& hardware, const QString& engine) {
                         newStudy(model, hardware, engine.toStdString());
                     });
    QObject::connect(library, &LibraryPanel::runRequested, context.get(),
                     [this](const QString& key) { runStudyNamed(key); });
    QObject::connect(library, &LibraryPanel::repeatRequested, context.get(),
                     [this](qint64 id) { openJob(jobs->repeat(id)); });
    QObject::connect(library, &LibraryPanel::studyOfRunRequested, context.get(),
                     [this](qint64 id) { open(u"study"_s, u"run/%1"_s.arg(id)); });
    QObject::connect(library, &LibraryPanel::duplicateRequested, context.get(), [this](const QString& key) {
        duplicateHardware(
            key, &window, [this](const QString& copy) { open(u"hardware"_s, copy); },
            [this](const QString& sentence) { say(MessagesPanel::Tone::error, sentence); });
    });
    QObject::connect(library, &LibraryPanel::forgetRequested, context.get(),
                     [this](const QString& path) { recent.remove(path); });
    QObject::connect(library, &LibraryPanel::inspected, context.get(), [this](const Facts& facts) {
        ++factsRequests;
        inspector->setFacts(facts);
    });
    QObject::connect(jobsPanel, &JobsPanel::opened, context.get(), [this](int job) { openJob(job); });
    QObject::connect(
        messages, &MessagesPanel::activated, context.get(),
        [this](const QString& kind, const QString& key, const QString& place) { goToMessage(kind, key, place); });
}

void MainWindow::Implementation::buildToolBar() {
    toolBar = window.addToolBar(u"Tools"_s);
    toolBar->setObjectName(u"tools"_s);
    toolBar->setMovable(false);
    toolBar->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    toolBar->setIconSize({theme().spacing(5), theme().spacing(5)});
    for (const char* id : {"run", "pause", "stop"}) toolBar->addAction(actions.value(QLatin1String(id)));
    holdPauseWidth();
    toolBar->addSeparator();
    const auto menuButton = [this](const QString& title, const QString& icon, QMenu*& menu) {
        auto* button = new QToolButton;
        button->setText(title);
        button->setObjectName(icon);
        button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        button->setPopupMode(QToolButton::InstantPopup);
        button->setFocusPolicy(Qt::StrongFocus);
        menu = new QMenu(title, button);
        menu->setToolTipsVisible(true);
        button->setMenu(menu);
        toolBar->addWidget(button);
    };
    menuButton(u"Model"_s, u"model"_s, modelMenu);
    menuButton(u"Hardware"_s, u"hardware"_s, hardwareMenu);
    menuButton(u"Study"_s, u"study"_s, studyMenu);
    auto* spring = new QWidget;
    spring->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    toolBar->addWidget(spring);
    paletteButton = new QToolButton;
    paletteButton->setObjectName(u"paletteField"_s);
    paletteButton->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    paletteButton->setText(u"Find anything   Ctrl+K"_s);
    paletteButton->setAccessibleName(u"Find anything"_s);
    paletteButton->setToolTip(u"Find an action, model, fleet, study or run (Ctrl+K)"_s);
    paletteButton->setFocusPolicy(Qt::StrongFocus);
    paletteButton->setMinimumWidth(theme().spacing(70));
    QObject::connect(paletteButton, &QToolButton::clicked, context.get(), [this] { palette->open(); });
    toolBar->addWidget(paletteButton);
}

/// What stands behind it stays where it is when Pause becomes Continue.
void MainWindow::Implementation::holdPauseWidth() {
    QAction* pause = actions.value(u"pause"_s);
    QWidget* button = toolBar->widgetForAction(pause);
    button->ensurePolished();
    int widest = 0;
    for (const bool paused : {true, false}) {
        pause->setText(pauseText(paused));
        pause->setIcon(theme().icon(u"pause"_s));
        widest = std::max(widest, button->sizeHint().width());
    }
    button->setMinimumWidth(widest);
}

void MainWindow::Implementation::buildStatusLine() {
    statusLine = new StatusLine(*jobs, *messages);
    window.statusBar()->addWidget(statusLine, 1);
    QObject::connect(statusLine, &StatusLine::jobsToggled, context.get(),
                     [this] { showPane(*docks[2], docks[2]->isHidden()); });
    QObject::connect(statusLine, &StatusLine::messagesToggled, context.get(),
                     [this] { showPane(*docks[3], docks[3]->isHidden()); });
    QObject::connect(statusLine, &StatusLine::jobOpened, context.get(), [this](int job) { openJob(job); });
    for (QDockWidget* pane : {docks[2], docks[3]})
        QObject::connect(pane->toggleViewAction(), &QAction::toggled, context.get(),
                         [this] { statusLine->setOpen(!docks[2]->isHidden(), !docks[3]->isHidden()); });
}

/// A pane at the foot that is alone there begins at its height; beside another it takes that one's.
void MainWindow::Implementation::showPane(QDockWidget& pane, bool shown) {
    const bool alone = docks[2]->isHidden() && docks[3]->isHidden();
    pane.setVisible(shown);
    if (shown && alone) window.resizeDocks({&pane}, {theme().spacing(kBottomHeight)}, Qt::Vertical);
}

/// The window stays as large as it is; it only comes back where it is out of reach.
void MainWindow::Implementation::resetLayout() {
    bringBack();
    const auto place = [this](int index, Qt::DockWidgetArea where) {
        // In this order: a pane that was taken away has no place to stop floating in.
        window.addDockWidget(where, docks[index]);
        docks[index]->setFloating(false);
        docks[index]->show();
    };
    place(0, Qt::LeftDockWidgetArea);
    place(1, Qt::RightDockWidgetArea);
    place(2, Qt::BottomDockWidgetArea);
    place(3, Qt::BottomDockWidgetArea);
    window.splitDockWidget(docks[2], docks[3], Qt::Horizontal);
    toolBar->show();
    window.menuBar()->show();
    window.resizeDocks({docks[2], docks[3]}, {2 * kWidth / 3, kWidth / 3}, Qt::Horizontal);
    window.resizeDocks({docks[2]}, {theme().spacing(kBottomHeight)}, Qt::Vertical);
    // The picture first: what is empty until something is selected or runs stands in the line at the foot.
    for (int folded : {1, 2, 3}) docks[folded]->hide();
    inspectorPane->setDismissed(false);
    sides->reset();
}

void MainWindow::Implementation::refreshIcons() {
    for (auto entry = actionIcons.begin(); entry != actionIcons.end(); ++entry)
        entry.key()->setIcon(theme().icon(entry.value(), entry.value() == QLatin1String("run") ? "accent" : "text"));
    for (QToolButton* button : toolBar->findChildren<QToolButton*>())
        if (button->menu() != nullptr) button->setIcon(theme().icon(button->objectName()));
    paletteButton->setIcon(theme().icon(u"search"_s, "secondary"));
    paletteButton->setStyleSheet(
        u"#paletteField { background: %1; border: 1px solid %2; border-radius: %5px; color: %3; "
        "padding: %6px; text-align: left; } #paletteField:hover, #paletteField:focus { border-color: %4; }"_s
            .arg(theme().colour("surface").name(), theme().colour("border").name(), theme().colour("secondary").name(),
                 theme().colour("accent").name())
            .arg(theme().radius())
            .arg(theme().spacing()));
    fillLibraryMenus();
}

void MainWindow::Implementation::cyclePanes(int step) {
    QVector<QWidget*> panes{area};
    for (QDockWidget* each : docks)
        if (each->isVisible()) panes.append(each->widget());
    int at = 0;
    for (int i = 0; i < panes.size(); ++i)
        if (panes[i]->isAncestorOf(QApplication::focusWidget()) || panes[i] == QApplication::focusWidget()) at = i;
    // A pane with nothing to use in it (no job, no message) is passed over.
    for (qsizetype i = 1; i < panes.size(); ++i) {
        QWidget* pane = panes[(at + (i * step) + (i * panes.size())) % panes.size()];
        if (QWidget* target = focusStart(pane == area && area->current() != nullptr ? *area->current() : *pane)) {
            target->setFocus(Qt::TabFocusReason);
            return;
        }
    }
}

}  // namespace tessera::ui
