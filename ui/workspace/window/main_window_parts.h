#pragma once

#include <QHash>
#include <QMap>
#include <QPointer>
#include <QUndoGroup>
#include <functional>
#include <map>
#include <string_view>
#include <vector>

#include "ui/jobs/jobs.h"
#include "ui/jobs/run_state.h"
#include "ui/models/facts.h"
#include "ui/models/recent_files.h"
#include "ui/workspace/command_palette.h"
#include "ui/workspace/document_area.h"
#include "ui/workspace/guide.h"
#include "ui/workspace/history/history.h"
#include "ui/workspace/history/run_picker.h"
#include "ui/workspace/jobs_panel.h"
#include "ui/workspace/library_panel.h"
#include "ui/workspace/messages_panel.h"
#include "ui/workspace/notice_bar.h"
#include "ui/workspace/window/main_window.h"

class QDockWidget;
class QMenu;
class QToolBar;
class QTimer;
class QToolButton;
class QVBoxLayout;

namespace tessera::ui {

class InspectorPanel;
class LibraryWatcher;
class ModelDocument;
class PaneWidths;
class RunDocument;
class SelectionPane;
class StatusLine;
class StudyDocument;

/// The key of a run's documents: "run/12", or "job/3" where it is not kept.
QString keyOfRun(const RunDocument& document);
/// Part of the key of a comparison or a report for a run: "12" or "job/3".
QString comparedAs(const RunDocument& document);

/// The parts of the window and what connects them.
struct MainWindow::Implementation {
    Implementation(MainWindow& owner, const Options& given);
    ~Implementation();

    // Composition: main_window_layout.cpp.
    void build();
    void buildDocks();
    void buildToolBar();
    void holdPauseWidth();
    void buildStatusLine();
    void showPane(QDockWidget& pane, bool shown);
    QDockWidget* dock(const QString& id, const QString& title, QWidget* content, Qt::DockWidgetArea area);
    void resetLayout();
    void refreshIcons();
    void cyclePanes(int step);

    // Actions: main_window_actions.cpp.
    void buildActions();
    QAction* action(const QString& id, const QString& title, const QString& icon, const QKeySequence& keys,
                    std::function<void()> run);
    void buildMenus();
    void updateActions();
    static QString pauseText(bool paused);
    void fillRecentMenu();
    void fillDocumentMenu();
    void fillExportMenu();
    void fillLibraryMenus();
    QVector<CommandPalette::Item> paletteItems() const;
    void searchRuns(const QString& typed, const CommandPalette::More& more);
    void runCurrent();
    int currentJob() const;  ///< of the run in front, else the newest that works; 0 = none
    void showHelp();
    void showGuide(const GuidePlace& place);
    void showShortcuts();
    void showAbout();
    void setTheme(const QString& mode);

    // Documents: main_window_documents.cpp.
    Document* open(const QString& kind, const QString& key);
    Document* make(const QString& kind, const QString& key);
    void connectDocument(Document* document);
    void connectKind(Document* document);
    void documentChanged(Document* document);
    void closeDocument(Document* document);
    void run(const QString& studyJson, store::RunId inputsOf = 0);
    void runStudyNamed(const QString& key);
    void openStudyOf(const QString& key);  ///< "run/7"
    /// Opens a new study of an engine, of the first one where none is named.
    void newStudy(const QString& model, const QString& hardware, std::string_view engine = {});
    /// The model that is looked at, which a new study is about; empty where there is none.
    QString currentModel() const;
    void openJob(int job);
    void connectRun(RunDocument* document);
    void feedRun(RunDocument* document);
    void feedRuns(Document* document);
    void jobChanged(int job);
    void jobFinished(int job);
    void importFile(const QString& path);
    void refuse(const QString& sentence, const QString& kind = {}, const QString& key = {});
    void offerChoices();
    void importRuns(const QString& path);
    void say(MessagesPanel::Tone tone, const QString& sentence, const QString& kind = {}, const QString& key = {},
             const QString& place = {});
    void goToMessage(const QString& kind, const QString& key, const QString& place);
    void refreshRuns();
    void askForOthers(const QString& key);
    void askForColours(ModelDocument* model);
    RunPicker::Search candidates(const QString& key, const store::RunRow& run);
    void showNames(const std::map<store::RunId, std::string>& names);
    std::vector<store::RunId> openRuns() const;

    // The Inspector: main_window_inspector.cpp.
    void inspected(Document* document, const Facts& facts);
    void showFacts(Document* document);
    void showFactsSoon();
    void askOverview(Document* document, const std::function<void(Facts)>& answer);
    void askRunFacts(RunDocument& document, const std::function<void(Facts)>& answer);
    void askStudyFacts(StudyDocument& document, const std::function<void(Facts)>& answer);
    void runAgain(RunDocument& document);
    void openStudyOfDocument(RunDocument& document);
    void compareDocument(RunDocument& document);
    void reportDocument(RunDocument& document);

    // This machine as an accelerator: main_window_calibration.cpp.
    void saveAccelerator(const RunState& state);
    void writeAccelerator(const RunState& state, const QString& name);
    void offerAccelerator(const std::filesystem::path& file, const QString& model);

    // History and session: main_window_session.cpp.
    void openHistory(const std::filesystem::path& path, store::OpenMode mode = store::OpenMode::readWrite);
    void historyOpened(const QString& notice, bool readOnly);
    void historyFailed(store::StoreProblem problem, const QString& sentence);
    void feedAnew();
    void startFresh();
    void chooseHistory();
    void announceInterrupted(const std::vector<store::RunRow>& all);
    void notify(NoticeBar* bar);
    void notifyOfFile(NoticeBar* bar);  ///< takes the place of the last one of a file
    void restoreSession();
    void beginPlainly();
    void restoreGeometry();
    void restorePanes();
    void restoreDocuments();
    void begin();
    void becomeReady();
    void giveUpRestoring() const;
    void bringBack();
    void fitToScreen();
    void soon(std::function<void()> work);
    void whenBegun(std::function<void()> work);
    void offerLostEdits();  ///< main_window_recovery.cpp
    QVariantMap session() const;
    void saveSession();
    bool mayClose();
    void closeSoon();
    bool isMeasuring() const;  ///< a run that works or waits measures this machine
    void askAboutRuns();
    void askAboutUnkept();
    void askAboutChanges(const QVector<Document*>& changed);

    MainWindow& window;
    Options options;
    std::filesystem::path historyPath;           ///< empty = nothing is kept
    bool historyMissed = false;                  ///< documents asked it for their runs in vain
    bool restoring = false;                      ///< the session is not yet back as it was
    std::vector<std::function<void()>> waiting;  ///< for the session to be back
    QVariantMap saved;                           ///< the session as the settings have it
    bool closeConfirmed = false;
    bool runsConfirmed = false;
    bool unkeptConfirmed = false;

    RecentFiles recent;
    QUndoGroup undo;
    History* history = nullptr;
    JobQueue* jobs = nullptr;
    DocumentArea* area = nullptr;
    QVBoxLayout* notices = nullptr;
    QPointer<NoticeBar> historyNotice;
    LibraryPanel* library = nullptr;
    LibraryWatcher* watcher = nullptr;
    InspectorPanel* inspector = nullptr;
    JobsPanel* jobsPanel = nullptr;
    MessagesPanel* messages = nullptr;
    CommandPalette* palette = nullptr;
    QToolButton* paletteButton = nullptr;
    QToolBar* toolBar = nullptr;
    StatusLine* statusLine = nullptr;
    PaneWidths* sides = nullptr;
    SelectionPane* inspectorPane = nullptr;
    QPointer<NoticeBar> fileNotice;
    QVector<QDockWidget*> docks;
    QMap<QString, QAction*> actions;
    QMap<QAction*, QString> actionIcons;
    QMenu *recentMenu = nullptr, *documentMenu = nullptr, *exportMenu = nullptr;
    QMenu *modelMenu = nullptr, *hardwareMenu = nullptr, *studyMenu = nullptr;
    /// Last content that a document gave the Inspector.
    struct Inspection {
        Facts selected;  ///< no title = nothing is selected
        Facts part;      ///< what it adds to what is known of it as a whole
    };
    QHash<const QObject*, Inspection> inspections;
    quint64 factsRequests = 0;
    QTimer* factsTimer = nullptr;
    LibraryContents contents;
    std::vector<store::RunRow> latestRuns;
    /// Everything that calls into these parts is connected through it: when it goes, nothing calls any more, although
    /// the window's widgets live a little longer.
    std::unique_ptr<QObject> context = std::make_unique<QObject>();
};

}  // namespace tessera::ui
