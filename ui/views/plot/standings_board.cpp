#include "ui/views/plot/standings_board.h"

#include <QEvent>
#include <QHeaderView>
#include <QTableView>
#include <QVBoxLayout>
#include <utility>

#include "core/report/strategy_colour.h"
#include "ui/models/report_table.h"
#include "ui/models/table_columns.h"
#include "ui/models/text.h"
#include "ui/theme/theme.h"
#include "ui/views/table_view.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

/// Widths in spacing steps.
constexpr int kBoard = 114, kNarrowestPage = 225;

}  // namespace

StandingsBoard::StandingsBoard(QWidget* page) : QWidget(page), page_(page), shown_(std::make_shared<report::Table>()) {
    bareLayout<QVBoxLayout>(this);
    setFixedWidth(theme().spacing(kBoard));
    page_->installEventFilter(this);
    hide();
}

void StandingsBoard::setTable(report::Table table) {
    const bool same = table.rows.size() == shown_->rows.size();
    if (same && table.rows == shown_->rows) return;
    *shown_ = std::move(table);
    if (model_ == nullptr && !shown_->rows.empty()) {
        QVector<TableModel::Column> columns = columns::ofTable(shown_);
        columns::colourBy(columns.front(), [shown = shown_](int row) {
            const std::string& label = shown->rows.at(static_cast<std::size_t>(row)).front();
            const std::size_t name = label.rfind(' ');  // of a run "RUN · magma"
            return toQt(report::strategyColour(name == std::string::npos ? label : label.substr(name + 1)));
        });
        model_ = new TableModel(std::move(columns), this);
        view_ = new TableView(model_, u"Standings"_s, this);
        layout()->addWidget(view_);
        static_cast<QVBoxLayout*>(layout())->addStretch();
    }
    if (model_ == nullptr) return;
    if (same)
        model_->refresh();
    else
        model_->setRowCount(static_cast<int>(shown_->rows.size()));
    // No higher than its rows: below them is nothing.
    const QTableView& grid = *view_->view();
    view_->setMaximumHeight(grid.horizontalHeader()->sizeHint().height() + 2 * grid.frameWidth() + theme().spacing() +
                            static_cast<int>(shown_->rows.size()) * grid.verticalHeader()->defaultSectionSize());
    fit();
}

void StandingsBoard::fit() {
    setVisible(!shown_->rows.empty() && page_->width() >= theme().spacing(kNarrowestPage));
}

bool StandingsBoard::eventFilter(QObject* watched, QEvent* event) {
    if (watched == page_ && event->type() == QEvent::Resize) fit();
    return QWidget::eventFilter(watched, event);
}

}  // namespace tessera::ui
