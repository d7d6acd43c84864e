#pragma once

#include <QStringList>
#include <QWidget>
#include <vector>

#include "core/report/catalogue.h"
#include "ui/models/facts.h"

class QScrollArea;
class QStackedWidget;

namespace tessera::ui {

class ChoiceBar;
class DrawingView;
class GanttView;
class HeatMapView;
class PlotWidget;

/// A picture of the catalogue, whichever kind of picture it is; where it has several parts, such as levels of memory,
/// with a choice of one above it.
class CataloguePane : public QWidget {
    Q_OBJECT

public:
    struct Part {
        QString title;  ///< of the choice
        report::Picture picture;
    };

    explicit CataloguePane(const QString& name, QWidget* parent = nullptr);
    /// Keeps which part is shown.
    void setParts(std::vector<Part> parts);

signals:
    /// Something in the picture was chosen. `names` are those under which it may be known elsewhere, such as a
    /// strategy's.
    void chosen(const tessera::ui::Facts& facts, const QStringList& names);

private:
    void showPart(int index);
    void show(const report::Chart& chart);
    void show(const report::HeatMap& map);
    void show(const Timeline& timeline);
    void show(const report::Drawing& drawing);
    void pointChosen(int series, int point);
    void cellChosen(int row, int column);
    void eventChosen(int event);
    /// Puts a view that was made into the stack.
    template <typename View>
    View* make(View*& view);
    void bring(QWidget* page);

    QString name_;
    ChoiceBar* choices_;
    QStackedWidget* stack_;
    PlotWidget* plot_ = nullptr;
    HeatMapView* map_ = nullptr;
    GanttView* gantt_ = nullptr;
    DrawingView* drawing_ = nullptr;
    QScrollArea* scrolled_ = nullptr;  ///< the drawing's page
    std::vector<Part> parts_;
    int current_ = 0;
};

/// The parts of a row of the catalogue, as selected: one per level of memory where it is of a level.
std::vector<CataloguePane::Part> partsOf(const report::PictureRow& row, const study::Result& result,
                                         const report::Selection& at);
/// Facts of an event of a timeline for the Inspector; without a title where there is none.
Facts eventFacts(const Timeline& timeline, int event);

}  // namespace tessera::ui
