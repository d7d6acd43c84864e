#pragma once

#include <QJsonObject>
#include <QVector>
#include <QWidget>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/report/catalogue.h"
#include "core/study/explanation.h"
#include "core/study/metric.h"
#include "ui/jobs/run_state.h"
#include "ui/models/background.h"
#include "ui/models/facts.h"
#include "ui/models/table_model.h"
#include "ui/views/choice_bar.h"
#include "ui/views/exportable.h"
#include "ui/views/headline_bar.h"
#include "ui/views/runs/run_pages.h"

class QAction;
class QHBoxLayout;
class QMenu;
class QUndoStack;
class QVBoxLayout;

namespace tessera::ui {

class ChartPane;
class MessageBar;

/// A finished run as its views are fed it.
struct FinishedRun {
    std::shared_ptr<const study::Result> result;
    std::shared_ptr<const std::vector<Curve>> curves;
    std::filesystem::path history;  ///< where its inputs are read when they are needed again
    store::RunId kept = 0;          ///< its number there; 0 = not kept
};

/// The page of a finished run: a line of headline numbers, a note, what is looked at, pictures of the engine's
/// catalogue in tabs, and details in a drawer. What an engine adds to it is a subclass: what can be selected in its
/// results, its headline, and the pictures that have a widget of their own.
class RunView : public QWidget {
    Q_OBJECT

public:
    void showRun(const FinishedRun& run);
    const FinishedRun& run() const { return run_; }
    RunPages* pages() const { return pages_; }

    /// Looks at one of what there is several of, such as the third "strategy"; -1 = none. All that shows it follows,
    /// and the Inspector shows it. What there is not is ignored.
    void select(const QString& what, int index);
    int selected(const QString& what) const;  ///< -1 = none

    /// Actions of the view beyond those that every run has.
    virtual QVector<QAction*> viewActions() const { return {}; }
    /// What the result, or what is selected in it, is to other studies: "Use as: Fleet". They need a run of the
    /// history.
    const QVector<QAction*>& handovers() const { return handovers_; }
    QVector<Exportable> exportables() const;
    Exportable resultExport() const;  ///< the output document
    Exportable traceExport() const;   ///< the timeline as a Chrome trace; without functions where there is none
    virtual QJsonObject saveView() const;
    /// Unknown or wrong values are ignored. Only after `showRun`.
    virtual void restoreView(const QJsonObject& view);

signals:
    void inspected(const tessera::ui::Facts& facts);
    void messaged(const QString& sentence, const QString& place);
    void openRequested(const QString& kind, const QString& key);
    void runRequested(const QString& studyJson);
    /// The run's model, coloured by what was found at a split of a strategy.
    void modelRequested(const QString& strategy, int split);
    void acceleratorRequested();  ///< what the run measured is to be saved as an accelerator

protected:
    /// `engine` says whose catalogue it shows until there is a run.
    RunView(std::string_view engine, QWidget* parent);

    /// Parts of a result of which one is chosen: strategies, layers, jobs.
    struct Selectable {
        const char* id;  ///< "layer": also in saved views
        std::function<int()> count;
        std::function<int()> current;                    ///< -1 = none
        std::function<void(int index)> choose;           ///< moves what shows it besides choices and tables
        std::function<Facts(int index)> facts = {};      ///< for the Inspector; none where they have no title
        std::function<QJsonValue(int index)> name = {};  ///< in saved views; empty = the index
        /// As a hand-over calls the part that it is made of; empty = by its name.
        std::function<std::string(int index)> handed = {};
        bool optional = false;  ///< there may be none
        bool saved = true;      ///< with the view
        QString bar = {};       ///< the name of a line of choices; empty = none
        std::function<ChoiceBar::Choice(int index)> choice = {};
        int min = 2;  ///< below so many choices their line is not shown
    };
    void addSelectable(const Selectable& its);
    /// A control at the right end of the line of choices.
    void addTool(QWidget* tool);
    /// Makes the pages, below what was added so far.
    void addPages();

    /// A page of a picture of the catalogue, with its id and title, whose widget two members of a view make and fill.
    template <typename View>
    void addPicture(const char* row, View* view, QWidget* (View::*make)(), void (View::*fill)()) {
        pages_->addPicture(row, titleOf(row), view, make, fill);
        addRows(row, {.pictures = {row}});
    }
    /// A page of charts of the catalogue, which are made on a thread, with a switch where there are several.
    struct Charts {
        std::vector<const char*> rows;  ///< of the catalogue
        QString title = {};             ///< of several; empty = that of the row of the page's id
        QString name;                   ///< for who cannot see it
        const char* selects = nullptr;  ///< what the categories of points are
        std::function<void(const ChartPane& pane, int series, int category)> clicked = {};
        const char* clicks = nullptr;  ///< what `clicked` selects
        /// The path of the number at a point; empty = none. No function = these are no numbers of the result.
        std::function<QString(const ChartPane& pane, int series, int category)> path = {};
        std::function<void(ChartPane& pane)> made = {};  ///< what else belongs to it
        std::function<bool()> filling = {};              ///< called first; whether there is something to show
        std::function<QStringList()> notes = {};         ///< what is said above it
    };
    void addCharts(const char* id, const Charts& charts);
    /// A table of details, whose rows are what can be selected where `selects` is given. One of the catalogue has its
    /// id.
    struct Table {
        QString title = {};  ///< of what is not in the catalogue
        std::function<TableModel*(QObject* owner)> model;
        const char* selects = nullptr;
        std::function<int()> rows = {};  ///< how many; empty = as many as can be selected
        bool filtered = false;           ///< has a field that filters rows
        QString empty = {};              ///< what is said where there is no row
    };
    void addTable(const char* id, const Table& table);
    /// Ids of rows of the catalogue.
    struct Rows {
        std::vector<const char*> pictures = {};
        std::vector<const char*> tables = {};
    };
    /// Notes what of the catalogue a page shows, besides what was added as such: its tab says so, and no other tab is
    /// made of it. A table may be one of pictures.
    void addRows(const char* page, const Rows& rows);
    /// Adds a page for every other row of the catalogue that the window shows, and those that every run has: its
    /// metrics, its summary, its assumptions and its inputs. The last to be added.
    void addOtherPages();
    /// Something in a page that `addOtherPages` made was chosen. `names` are those under which the view may know it.
    virtual void chooseAmong(const QStringList& /*names*/) {}
    /// The title of a picture of the catalogue.
    QString titleOf(std::string_view row) const;
    /// True if the result has what a picture of the catalogue shows.
    bool has(std::string_view row) const;
    /// Makes a picture of the catalogue, as selected now, on any thread; an empty one where the result has none.
    template <typename Picture>
    std::function<Picture()> maker(std::string_view row) const {
        return [result = run_.result, at = selection(), its = &report::pictureNamed(engine_, row)] {
            if (report::selectionsOf(*its, *result, at).empty()) return Picture();
            return std::get<Picture>(its->make({*result, at, {}}));
        };
    }

    /// Puts "Use as" on top of the menu of what is selected, where that is something to other studies.
    void addHandovers(QMenu& menu, std::string_view of) const;

    MessageBar* note() const { return note_; }
    /// Shows facts in the Inspector, unless they have no title.
    void inspect(const Facts& facts);
    /// Function that explains a number of the result on request.
    std::function<std::optional<study::Explanation>()> explanationOf(const std::string& path) const;
    /// "Explain this number" of a metric in a dialog.
    void explain(const QString& path);
    void fillChoices();   ///< they are others
    void showHeadline();  ///< with its note
    /// Runs `work` on a thread, then `show` with what it returned; what fails is said in the window.
    template <typename Work, typename Show>
    void later(Work work, Show show) {
        inBackground(this, std::move(work), std::move(show),
                     [this](const QString& problem) { emit messaged(problem, QString()); });
    }

    /// Shows a result that follows from the run's, such as with other prices, in its place: everything follows, choices
    /// stay.
    void showInstead(std::shared_ptr<const study::Result> result);
    /// The run is another.
    virtual void takeRun() = 0;
    /// Refreshes all pages after a change of what they show.
    virtual void refresh();
    virtual QVector<Headline> headlines() const = 0;
    /// Shows a note where there is something to say; it is hidden before.
    virtual void showNote() {}
    /// Selection for the catalogue.
    virtual report::Selection selection() const = 0;
    /// Exports made here beyond the catalogue's pictures, tables and documents.
    virtual QVector<Exportable> ownExports() const { return {}; }

    const report::Catalogue& catalogue() const { return report::catalogueOf(engine_); }

private:
    const Selectable* selectable(const QString& what) const;
    void showSelected();
    void makeHandovers();
    void handOver(const report::FileRow& row, const study::Engine* taker);
    ChartPane* makePane(const Charts& charts);
    struct TablePage;
    void addPicturePage(const report::PictureRow& row);
    void addTablePage(const report::TableRow& row);
    void showTable(TablePage& page, report::Table made);
    void showApplicable();

    std::string engine_;
    FinishedRun run_;
    QVBoxLayout* column_;
    QHBoxLayout* bar_;
    HeadlineBar* headline_;
    MessageBar* note_;
    RunPages* pages_ = nullptr;
    QVector<QAction*> handovers_;
    std::vector<std::pair<Selectable, ChoiceBar*>> selectables_;  ///< with its line of choices, if any
    std::vector<std::pair<QString, QString>> tables_;             ///< whose rows are selectable: id and of what
    std::set<std::string_view> pictureRows_, tableRows_;          ///< of the catalogue, that pages show
    std::vector<std::pair<LazyTabs*, const report::Row*>> otherPages_;
    std::shared_ptr<std::vector<study::Metric>> metrics_ = std::make_shared<std::vector<study::Metric>>();
};

/// The pages of the engines that add to it; `undo` takes the page's commands.
RunView* newMappingView(QUndoStack* undo, QWidget* parent);
RunView* newCodesignView(QUndoStack* undo, QWidget* parent);
RunView* newPredictionView(QUndoStack* undo, QWidget* parent);
RunView* newCalibrationView(QUndoStack* undo, QWidget* parent);
RunView* newPlanView(QUndoStack* undo, QWidget* parent);
RunView* newExplorationView(QUndoStack* undo, QWidget* parent);

/// A row of the table of views: an engine's results and what they are looked at in.
struct RunViewRow {
    bool (*isOf)(const study::Result& result);            ///< whether a result is of this engine
    bool (*hasSome)(const study::Result& result);         ///< something to look at; of this engine's alone
    RunView* (*make)(QUndoStack* undo, QWidget* parent);  ///< `undo` takes the view's commands
};
/// The first that a result is of counts; the last shows results of any engine by its catalogue.
const std::vector<RunViewRow>& runViews();
/// The row of a result; null where there is nothing to look at.
const RunViewRow* runViewOf(const study::Result& result);

}  // namespace tessera::ui
