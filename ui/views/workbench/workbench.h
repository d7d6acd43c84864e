#pragma once

#include <QJsonObject>
#include <QString>
#include <QVector>
#include <QWidget>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "ui/views/exportable.h"
#include "ui/views/workbench/point_selection.h"
#include "ui/views/workbench/scatter_pane.h"

class QLabel;
class QMenu;
class QScrollArea;
class QSplitter;
class QToolButton;

namespace tessera::ui {

class ChartOfPoints;
class FilterPanel;
class FlowLayout;
class MatrixPane;
class ParallelPane;
class PlotWidget;
class ParallelView;
class PointComparison;
class PointList;
class ValueBox;

/// The points of an exploration, a search, a sweep or a plan, in pictures that share one selection: a scatter, parallel
/// axes, a matrix of scatters, a surface over two variables, what matters, and what the search reached; a table, a
/// comparison of two points, and sliders over all values stand beside them. Where there is room for two pictures, two
/// stand side by side; elsewhere one.
class Workbench : public QWidget {
    Q_OBJECT

public:
    static constexpr int kRoomForTwo = 1100;  ///< pixels

    /// `undo` takes what is kept and excluded; null = a stack of its own.
    explicit Workbench(QUndoStack* undo, QWidget* parent = nullptr);
    ~Workbench() override;

    void setPoints(PointSelection::Table points);
    PointSelection& selection() const { return *selection_; }
    /// What an engine adds to a scatter.
    void setExtras(ScatterPane::Extras extras) { scatter_->setExtras(std::move(extras)); }
    /// Writes a study's file.
    using StudyMaker = std::function<std::string()>;
    /// What searches again within what is shown, for an export: is called for what is shown now, and what it returns
    /// off the UI thread.
    void setStudyOfShown(std::function<StudyMaker()> study) { studyOfShown_ = std::move(study); }
    /// Puts what can be done with the chosen point on top of its menu, in the scatter and the list.
    void setPointMenu(const std::function<void(QMenu& menu)>& fill);
    /// What is said where there are no points, and none in all brushes.
    void setEmptyTexts(const QString& none, const QString& noneShown);
    /// Whether points stand in the order in which a search came to them, which its progress is seen in.
    void setInOrder(bool on);
    /// What is said in pictures of a run that goes on, which appends points; empty = none does.
    void setLive(const QString& text);
    /// A picture of the points, by an id of its own.
    struct Picture {
        QString id, title, help;
        PointPane* pane;
        std::function<bool()> offered = {};  ///< with these points; empty = always
    };
    /// Offers another picture after those that there are.
    void addPicture(Picture picture);
    /// A control at the right end of the line above the pictures.
    void addTool(QWidget* tool);
    /// A tool that does something with the points that are shown, once these are some of all, or any.
    QToolButton* addToolForShown(const QString& text, const QString& icon, const QString& help,
                                 const std::function<void()>& run, bool some = true);

    ScatterPane* scatter() const { return scatter_; }
    PlotWidget* plot() const { return scatter_->plot(); }
    ParallelView* parallel() const;
    MatrixPane* matrix() const { return matrix_; }
    ChartOfPoints* progress() const { return progress_; }
    ChartOfPoints* hypervolume() const { return hypervolume_; }
    ChartOfPoints* surface() const { return surface_; }
    ChartOfPoints* importance() const { return importance_; }
    FilterPanel* filters() const { return filters_; }
    /// For pages of details: in the workbench, hidden, until another widget takes it.
    PointList* list() const { return list_; }
    PointComparison* comparison() const { return comparison_; }

    /// Pictures by their ids: "scatter", "parallel", "matrix", "surface", "importance", "progress", "hypervolume"; what
    /// is seen now, from the left.
    QStringList pictures() const;
    QStringList seen() const;
    void showPicture(const QString& picture);  ///< in the left place, unless it is seen

    /// The shown points as CSV, the study of them, and the pictures that are looked at.
    QVector<Exportable> exportables() const;
    QJsonObject saveState() const;
    void restoreState(const QJsonObject& state);

    /// Why the chosen point is worth a look, then why the knee of the scatter's values is: a sentence each.
    QStringList whySentences() const;

signals:
    void whyChanged();

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    QWidget* makeBar();
    QToolButton* addButton(const QString& text, const QString& help, const std::function<void()>& run);
    bool isOffered(int picture) const;
    std::size_t objectives() const;
    int pictureNamed(const QString& id) const;  ///< -1 = none
    bool hasRoomForTwo() const;
    void letChoose(int picture);
    void arrange();
    void fillChoices();
    void put(int side, int picture);
    void showCounts();
    void showPins();
    void pin(PointSelection::Pin which);

    PointSelection* selection_;
    ScatterPane* scatter_;
    ParallelPane* parallel_;
    MatrixPane* matrix_;
    ChartOfPoints *surface_, *importance_, *progress_, *hypervolume_;
    FilterPanel* filters_;
    QScrollArea* filterArea_;
    PointList* list_;
    PointComparison* comparison_;
    std::vector<Picture> pictures_;
    std::vector<bool> offered_;                 ///< by picture
    int sides_[2] = {0, 1};                     ///< pictures, from the left
    std::function<StudyMaker()> studyOfShown_;  ///< may be empty
    bool inOrder_ = false, hadRoomForTwo_ = false;
    QWidget* places_[2] = {};
    QSplitter* splitter_;
    FlowLayout* line_ = nullptr;
    ValueBox* colour_;
    QLabel* count_;
    QToolButton *keep_, *exclude_, *undo_, *all_, *filter_, *pinA_, *pinB_;
};

}  // namespace tessera::ui
