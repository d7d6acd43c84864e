#include "ui/views/runs/codesign_explorer.h"

#include <QComboBox>
#include <QLabel>
#include <QMenu>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "ui/models/codesign_tables.h"
#include "ui/models/table_columns.h"
#include "ui/theme/theme.h"
#include "ui/views/choice_bar.h"
#include "ui/views/flow_layout.h"
#include "ui/views/plot/parallel_view.h"
#include "ui/views/plot/plot_widget.h"
#include "ui/views/side_by_side.h"
#include "ui/views/table_view.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

constexpr int kAxisLetters = 18;

}  // namespace

CodesignExplorer::CodesignExplorer(SharedCodesignChoice choice, QWidget* parent)
    : QWidget(parent),
      choice_(std::move(choice)),
      x_(new QComboBox(this)),
      y_(new QComboBox(this)),
      pin_(new QToolButton(this)),
      clear_(new QToolButton(this)),
      overlay_(new QToolButton(this)),
      count_(new QLabel(this)),
      plot_(new PlotWidget(this)),
      parallel_(new ParallelView(this)),
      pictures_(new SideBySide({plot_, u"Scatter"_s, u"Two values, and the front between them"_s},
                               {parallel_, u"Parallel axes"_s, u"All values, with a brush on every axis"_s}, this)),
      model_(architectureTableModel(choice_, this)),
      table_(new TableView(model_, u"Architectures"_s, this)) {
    auto* layout = bareLayout<QVBoxLayout>(this, theme().spacing(2));
    layout->addWidget(bar());
    plot_->setAccessibleName(u"Architectures in two values"_s);
    plot_->setExplainable(false);
    parallel_->setAccessibleName(u"Architectures in all values"_s);
    table_->setEmptyText(u"No architecture lies in all brushes."_s);
    table_->hide();  // until the page of details takes it
    layout->addWidget(pictures_, 1);
    const auto showAxes = [this] {
        for (QWidget* part : std::as_const(axisParts_)) part->setVisible(pictures_->isLeftShown());
    };
    connect(pictures_, &SideBySide::arranged, this, showAxes);
    showAxes();

    connect(plot_, &PlotWidget::pointClicked, this, [this](int series, int point) {
        if (series < 0 || static_cast<std::size_t>(series) >= picture_.rows.size()) return;
        const std::vector<std::size_t>& rows = picture_.rows[static_cast<std::size_t>(series)];
        if (point >= 0 && static_cast<std::size_t>(point) < rows.size())
            emit rowChosen(static_cast<int>(rows[static_cast<std::size_t>(point)]));
    });
    connect(parallel_, &ParallelView::rowClicked, this, &CodesignExplorer::rowChosen);
    connect(parallel_, &ParallelView::brushed, this, &CodesignExplorer::showBrush);
    connect(table_, &TableView::currentRowChanged, this, [this](int row) {
        if (row >= 0 && !choosing_) emit rowChosen(choice_->visible.at(static_cast<std::size_t>(row)));
    });
}

QWidget* CodesignExplorer::bar() {
    auto* bar = new QWidget(this);
    auto* row = new FlowLayout(bar);
    row->setSpacing(theme().spacing(2));
    row->addWidget(pictures_->choice());
    for (const auto& [text, box] : {std::pair(u"Y axis"_s, y_), std::pair(u"X axis"_s, x_)}) {
        auto* label = new QLabel(text, bar);
        setLook(*label, "tone", u"secondary"_s);
        label->setBuddy(box);
        box->setAccessibleName(box == x_ ? u"X axis"_s : u"Y axis"_s);
        box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
        box->setMinimumContentsLength(kAxisLetters);
        row->addWidget(label);
        row->addWidget(box);
        axisParts_.append({label, box});
        connect(box, &QComboBox::activated, this, &CodesignExplorer::draw);
    }
    row->addStretch();
    setLook(*count_, "tone", u"secondary"_s);
    row->addWidget(count_);
    clear_->setText(u"Show all"_s);
    clear_->setToolTip(u"Lets all brushes of the parallel coordinates go"_s);
    clear_->setAutoRaise(true);
    connect(clear_, &QToolButton::clicked, parallel_, &ParallelView::clearBrushes);
    row->addWidget(clear_);
    overlay_->setIcon(theme().icon(u"layers"_s));
    overlay_->setText(u"Other runs"_s);
    overlay_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    overlay_->setAutoRaise(true);
    overlay_->setPopupMode(QToolButton::InstantPopup);
    overlay_->setToolTip(u"Lays the fronts of other searches over this one"_s);
    overlay_->setMenu(new QMenu(overlay_));
    overlay_->hide();
    row->addWidget(overlay_);
    pin_->setIcon(theme().icon(u"pin"_s));
    pin_->setText(u"Pin as A"_s);
    pin_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    pin_->setAutoRaise(true);
    pin_->setCheckable(true);
    pin_->setToolTip(u"Compares every other architecture with this one"_s);
    connect(pin_, &QToolButton::clicked, this, [this](bool on) { emit pinRequested(on ? choice_->row : -1); });
    row->addWidget(pin_);
    return bar;
}

void CodesignExplorer::refresh() {
    fillAxes();
    std::vector<report::PointValue> main;  // models' own throughput would be too many axes
    for (const report::PointValue& value : choice_->run.values())
        if (value.id.find(':') == std::string::npos) main.push_back(value);
    parallel_->setPicture(report::parallelPicture(choice_->run.result(), choice_->run.rows(), main));
    showBrush();
}

void CodesignExplorer::fillAxes() {
    const QString x = xAxis().isEmpty() ? u"area"_s : xAxis();
    const QString y = yAxis().isEmpty() ? u"objective"_s : yAxis();
    for (QComboBox* box : {x_, y_}) {
        box->clear();
        for (const report::PointValue& value : choice_->run.values()) {
            box->addItem(QString::fromStdString(value.title), QString::fromStdString(value.id));
            box->setItemData(box->count() - 1, QString::fromStdString(value.help), Qt::ToolTipRole);
        }
    }
    chooseAxes(x, y);
}

void CodesignExplorer::setAxes(const QString& x, const QString& y) {
    chooseAxes(x, y);
    draw();
}

void CodesignExplorer::chooseAxes(const QString& x, const QString& y) {
    for (const auto& [box, id] : {std::pair(x_, x), std::pair(y_, y)})
        if (const int at = box->findData(id); at >= 0) box->setCurrentIndex(at);
}

QString CodesignExplorer::xAxis() const {
    return x_->currentData().toString();
}

QString CodesignExplorer::yAxis() const {
    return y_->currentData().toString();
}

void CodesignExplorer::setOthers(std::vector<report::OtherFront> others) {
    others_ = std::move(others);
    draw();
}

void CodesignExplorer::offerOthers(const QVector<OtherRun>& runs) {
    QMenu* menu = overlay_->menu();
    menu->clear();
    for (const OtherRun& run : runs) {
        QAction* action = menu->addAction(QString(run.title).replace(QLatin1Char('&'), QLatin1String("&&")));
        action->setCheckable(true);
        action->setData(run.id);
        connect(action, &QAction::toggled, this, [this, menu] {
            QVector<qint64> wanted;
            for (const QAction* each : menu->actions())
                if (each->isChecked()) wanted.append(each->data().toLongLong());
            emit othersWanted(wanted);
        });
    }
    overlay_->setVisible(!runs.isEmpty());
}

void CodesignExplorer::showBrush() {
    choice_->shown = parallel_->shown();
    choice_->visible.clear();
    for (int row = 0; row < choice_->run.rowCount(); ++row)
        if (choice_->shown.empty() || choice_->shown[static_cast<std::size_t>(row)]) choice_->visible.push_back(row);
    choosing_ = true;
    model_->setRowCount(static_cast<int>(choice_->visible.size()));
    choosing_ = false;
    const bool brushed = parallel_->isBrushed();
    clear_->setVisible(brushed);
    count_->setVisible(brushed);
    count_->setText(u"%1 of %2 shown"_s.arg(columns::count(static_cast<double>(choice_->visible.size())),
                                            columns::count(choice_->run.rowCount())));
    draw();
}

void CodesignExplorer::draw() {
    const report::PointValue* x = choice_->run.isEmpty() ? nullptr : choice_->run.value(xAxis());
    const report::PointValue* y = choice_->run.isEmpty() ? nullptr : choice_->run.value(yAxis());
    if (x == nullptr || y == nullptr) return;
    picture_ = report::paretoPicture(choice_->run.result(), choice_->run.rows(), *x, *y,
                                     {.shown = choice_->shown, .others = others_});
    plot_->setChart(picture_.chart);
    showChoice();
}

int CodesignExplorer::placeOf(int row) const {
    const auto found = std::lower_bound(choice_->visible.begin(), choice_->visible.end(), row);
    return found == choice_->visible.end() || *found != row ? -1 : static_cast<int>(found - choice_->visible.begin());
}

void CodesignExplorer::showChoice() {
    choosing_ = true;
    parallel_->setSelected(choice_->row, choice_->pinned);
    if (const int place = placeOf(choice_->row); place >= 0) table_->setCurrentRow(place);
    if (std::exchange(shownPin_, choice_->pinned) != choice_->pinned) model_->refresh();
    int series = -1, point = -1;
    for (std::size_t s = 0; s < picture_.rows.size() && choice_->row >= 0; ++s) {
        if (picture_.chart.series[s].mark != report::Mark::points) continue;
        const std::vector<std::size_t>& rows = picture_.rows[s];
        const auto found = std::find(rows.begin(), rows.end(), static_cast<std::size_t>(choice_->row));
        if (found == rows.end()) continue;
        series = static_cast<int>(s);
        point = static_cast<int>(found - rows.begin());
    }
    plot_->setSelected(series, point);
    const bool pinned = choice_->pinned >= 0 && choice_->pinned == choice_->row;
    pin_->setEnabled(choice_->row >= 0);
    pin_->setChecked(pinned);
    pin_->setText(pinned ? u"Pinned as A"_s : u"Pin as A"_s);
    choosing_ = false;
}

}  // namespace tessera::ui
