#include "ui/views/table_view.h"

#include <QAction>
#include <QContextMenuEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMetaMethod>
#include <QPainter>
#include <QScrollBar>
#include <QTableView>
#include <QTimer>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <optional>
#include <vector>

#include "core/base/escape.h"
#include "core/base/units.h"
#include "core/draw/table.h"
#include "ui/models/row_order.h"
#include "ui/models/text.h"
#include "ui/theme/theme.h"
#include "ui/views/title_row.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

constexpr int kFilterFromRows = 16;  ///< smaller tables show no filter until Ctrl+F
constexpr int kFilterPause = 120;    ///< milliseconds of typing
constexpr int kWidestColumn = 340;   ///< pixels, of those that size themselves
constexpr int kWidestTitle = 132;    ///< pixels that a title alone may take
constexpr int kMinText = 132;        ///< pixels that words keep where numbers need the room
constexpr int kMinName = 290;        ///< that the first of them keep where all numbers are not in sight anyway
constexpr int kRowsMeasured = 60;    ///< for the width of a column

/// The table itself; says what to do where it has no rows.
class Grid : public QTableView {
public:
    explicit Grid(QWidget* parent = nullptr) : QTableView(parent) { setHorizontalHeader(new TitleRow(this)); }
    QString emptySentence;

protected:
    void paintEvent(QPaintEvent* event) override {
        QTableView::paintEvent(event);
        if (emptySentence.isEmpty() || model() == nullptr || model()->rowCount() > 0) return;
        QPainter painter(viewport());
        painter.setPen(theme().colour("secondary"));
        painter.setFont(theme().font());
        const int margin = theme().spacing(6);
        painter.drawText(viewport()->rect().adjusted(margin, 0, -margin, 0), Qt::AlignCenter | Qt::TextWordWrap,
                         emptySentence);
    }
};

/// One line below the table: the sums of the rows shown, under their columns.
class Foot : public QWidget {
public:
    Foot(Grid* grid, TableModel* model) : QWidget(grid->parentWidget()), grid_(grid), model_(model) {
        setFixedHeight(theme().size("row"));
        setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
        connect(grid->horizontalHeader(), &QHeaderView::sectionResized, this, [this] { update(); });
        connect(grid->horizontalHeader(), &QHeaderView::sectionMoved, this, [this] { update(); });
        connect(grid->horizontalScrollBar(), &QScrollBar::valueChanged, this, [this] { update(); });
        connect(&theme(), &Theme::changed, this, [this] { update(); });
    }

    void setSums(const QVector<QString>& sums, const QString& rows) {
        sums_ = sums;
        QStringList spoken;
        for (qsizetype i = 0; i < sums.size(); ++i)
            if (!sums[i].isEmpty()) spoken.append(model_->columns()[i].title + u": "_s + sums[i]);
        setAccessibleName(u"Sums of %1 rows: %2"_s.arg(rows, spoken.join(u", "_s)));
        setToolTip(u"Sums of the %1 rows shown"_s.arg(rows));
        update();
    }

protected:
    void paintEvent(QPaintEvent* /*event*/) override {
        QPainter painter(this);
        painter.fillRect(rect(), theme().colour("window"));
        painter.fillRect(QRect(0, 0, width(), 1), theme().colour("border"));
        painter.setPen(theme().colour("text"));
        painter.setFont(theme().font(Theme::Text::base, true, true));
        const QHeaderView* header = grid_->horizontalHeader();
        bool titled = false;
        for (int place = 0; place < header->count(); ++place) {
            const int column = header->logicalIndex(place);
            if (header->isSectionHidden(column)) continue;
            const QRect cell(header->sectionViewportPosition(column) + kSideOfCell, 0,
                             header->sectionSize(column) - 2 * kSideOfCell, height());
            const QString sum = sums_.value(column);
            if (!sum.isEmpty()) {
                painter.drawText(cell, Qt::AlignVCenter | Qt::AlignRight, sum);
            } else if (!titled && !model_->columns().at(column).number) {
                painter.setPen(theme().colour("secondary"));
                painter.drawText(cell, Qt::AlignVCenter | Qt::AlignLeft, u"Sum"_s);
                painter.setPen(theme().colour("text"));
                titled = true;
            }
        }
    }

private:
    Grid* grid_;
    TableModel* model_;
    QVector<QString> sums_;
};

}  // namespace

struct TableView::Implementation {
    Implementation(TableView* self, TableModel* tableModel, const QString& tableName)
        : owner(self), model(tableModel), name(tableName), rows(new RowOrder(tableModel, self)), view(new Grid(self)) {}

    TableView* owner;
    TableModel* model;
    QString name;
    RowOrder* rows;
    Grid* view;
    Foot* foot = nullptr;
    QWidget* bar = nullptr;
    QLineEdit* filter = nullptr;
    QLabel* shown = nullptr;
    QTimer typing;
    QTimer summing;
    std::optional<bool> filterVisible;  ///< as the owner said; else by the number of rows
    QString emptyText = u"There are no rows."_s;
    bool sized = false;        ///< columns have their first widths
    bool sizedByHand = false;  ///< a person moved a column's edge
    bool sizing = false;
    QVector<int> widths;  ///< of columns by themselves, before they share what is left
    int reported = -1;
    int wanted = -1;  ///< the current row of the table, kept over filters

    void buildFilter(QVBoxLayout& column);
    void buildView();
    void connectAll();
    void afterOrder();
    void updateFoot();
    void sizeColumns();
    void stretch();
    QVector<int> roomyWidths(const QVector<int>& visible, int missing) const;
    void report();
    void focusFilter();
    void openMenu(const QPoint& place, const QModelIndex& at);
    std::function<void(QMenu& menu, int row)> rowMenu;
    void addColumnMenu(QMenu& menu);
    QVector<int> visibleColumns() const;
    QString tabSeparated(const QVector<int>& tableRows) const;
    std::string csv() const;
};

void TableView::Implementation::buildFilter(QVBoxLayout& column) {
    bar = new QWidget(owner);
    auto* line = new QHBoxLayout(bar);
    const int side = theme().spacing(2);
    line->setContentsMargins(side, theme().spacing(), side, theme().spacing());
    line->setSpacing(theme().spacing(2));
    filter = new QLineEdit(bar);
    filter->setPlaceholderText(u"Filter rows"_s);
    filter->setAccessibleName(u"Filter rows of %1"_s.arg(name));
    filter->setToolTip(u"Rows that contain all these words (Ctrl+F)"_s);
    filter->setClearButtonEnabled(true);
    filter->setMaximumWidth(theme().spacing(80));
    filter->setMaxLength(256);
    filter->addAction(theme().icon(u"search"_s, "secondary"), QLineEdit::LeadingPosition);
    shown = new QLabel(bar);
    shown->setFont(theme().font(Theme::Text::caption));
    shown->setProperty("tone", u"secondary"_s);
    shown->setTextFormat(Qt::PlainText);
    line->addWidget(filter, 1);
    line->addStretch(1);
    line->addWidget(shown);
    column.addWidget(bar);
}

void TableView::Implementation::buildView() {
    view->setModel(rows);
    view->setAccessibleName(name);
    view->setShowGrid(false);
    view->setWordWrap(false);
    view->setTextElideMode(Qt::ElideMiddle);  // names differ at their ends
    view->setSelectionBehavior(QAbstractItemView::SelectRows);
    view->setSelectionMode(QAbstractItemView::ExtendedSelection);
    // Where a column takes what is written into it.
    view->setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::SelectedClicked |
                          QAbstractItemView::EditKeyPressed);
    view->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    view->setTabKeyNavigation(false);
    view->setCornerButtonEnabled(false);
    view->setIconSize(QSize(16, 16));
    view->setContextMenuPolicy(Qt::CustomContextMenu);
    view->verticalHeader()->hide();
    view->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    view->verticalHeader()->setDefaultSectionSize(theme().size("row"));
    QHeaderView* header = view->horizontalHeader();
    header->setHighlightSections(false);
    header->setSectionsMovable(true);
    header->setMinimumSectionSize(36);
    header->setSortIndicatorShown(true);
    header->setSortIndicatorClearable(true);
    header->setSortIndicator(-1, Qt::AscendingOrder);
    header->setContextMenuPolicy(Qt::CustomContextMenu);
    header->setAccessibleName(u"Columns of %1"_s.arg(name));
    view->setSortingEnabled(true);
}

void TableView::Implementation::connectAll() {
    typing.setSingleShot(true);
    typing.setInterval(kFilterPause);
    summing.setSingleShot(true);
    summing.setInterval(0);
    connect(&typing, &QTimer::timeout, owner, [this] { rows->setFilter(filter->text()); });
    connect(&summing, &QTimer::timeout, owner, [this] { updateFoot(); });
    connect(filter, &QLineEdit::textChanged, owner,
            [this](const QString& text) { text.isEmpty() ? rows->setFilter({}) : typing.start(); });
    connect(filter, &QLineEdit::returnPressed, owner, [this] {
        typing.stop();
        rows->setFilter(filter->text());
        view->setFocus();
    });
    connect(rows, &RowOrder::ordered, owner, [this] { afterOrder(); });
    connect(view->selectionModel(), &QItemSelectionModel::currentRowChanged, owner, [this] { report(); });
    connect(view, &QTableView::activated, owner,
            [this](const QModelIndex& index) { emit owner->rowActivated(rows->sourceRow(index.row())); });
    connect(view, &QWidget::customContextMenuRequested, owner,
            [this](const QPoint& place) { openMenu(view->viewport()->mapToGlobal(place), view->indexAt(place)); });
    connect(view->horizontalHeader(), &QWidget::customContextMenuRequested, owner, [this](const QPoint& place) {
        QMenu menu;
        addColumnMenu(menu);
        menu.exec(view->horizontalHeader()->mapToGlobal(place));
    });
    connect(view->horizontalHeader(), &QHeaderView::sectionResized, owner, [this] {
        if (!sizing && sized && view->isVisible()) sizedByHand = true;
    });
    view->installEventFilter(owner);
    filter->installEventFilter(owner);
    view->viewport()->installEventFilter(owner);
}

void TableView::Implementation::focusFilter() {
    bar->show();
    filter->setFocus();
    filter->selectAll();
}

/// Rows are other ones or in another order.
void TableView::Implementation::afterOrder() {
    const int all = model->rowCount();
    const int left = rows->rowCount();
    const bool filtered = !rows->filter().trimmed().isEmpty();
    bar->setVisible(filterVisible.value_or(all >= kFilterFromRows) || filtered || filter->hasFocus());
    shown->setText(filtered   ? u"%1 of %2 rows"_s.arg(countText(left), countText(all))
                   : all == 1 ? u"1 row"_s
                              : u"%1 rows"_s.arg(countText(all)));
    view->emptySentence =
        all > 0 && left == 0
            ? u"No row contains “%1”. Clear the filter to see all rows."_s.arg(rows->filter().trimmed().left(60))
            : emptyText;
    if (!sized && left > 0) sizeColumns();
    const int row = rows->rowOf(wanted);
    if (row >= 0 && view->currentIndex().row() != row) view->setCurrentIndex(rows->index(row, 0));
    if (foot != nullptr) summing.start();
    view->viewport()->update();
}

void TableView::Implementation::updateFoot() {
    foot->setVisible(rows->rowCount() > 1);
    if (rows->rowCount() < 2) return;
    QVector<QString> sums;
    for (int column = 0; column < model->columnCount(); ++column) {
        const TableModel::Column& of = model->columns().at(column);
        double sum = 0;
        for (int row = 0; of.summed && row < rows->rowCount(); ++row)
            if (const double value = model->sortValue(rows->sourceRow(row), column).toDouble(); !std::isnan(value))
                sum += value;
        sums.append(!of.summed ? QString() : of.sumText ? of.sumText(sum) : countText(sum));
    }
    foot->setSums(sums, countText(rows->rowCount()));
}

/// Widths by the titles and a sample of the rows, once; what is left goes to the first column of text.
void TableView::Implementation::sizeColumns() {
    sized = true;
    widths.clear();
    const QFontMetrics cell(theme().font(Theme::Text::base, false, true));
    const QFontMetrics head(theme().font(Theme::Text::caption, true));
    const int step = std::max(1, rows->rowCount() / kRowsMeasured);
    for (int column = 0; column < model->columnCount(); ++column) {
        int width =
            std::min(head.horizontalAdvance(model->columns().at(column).title), kWidestTitle) + theme().spacing(4);
        for (int row = 0; row < rows->rowCount(); row += step) {
            const QModelIndex index = rows->index(row, column);
            const int icon = index.data(Qt::DecorationRole).isValid() ? theme().spacing(6) : 0;
            width = std::max(width, cell.horizontalAdvance(index.data().toString()) + icon);
        }
        const int sum = model->columns().at(column).summed ? theme().spacing(3) : 0;
        widths.append(std::min(width + sum + 2 * kSideOfCell + theme().spacing(2), kWidestColumn));
    }
    stretch();
}

/// Where `missing` pixels are missing, words give them up, each column in proportion to what it has: a cut name can be
/// read, a number out of sight cannot. Where that is not enough and the table scrolls, names stay what tells rows
/// apart.
QVector<int> TableView::Implementation::roomyWidths(const QVector<int>& visible, int missing) const {
    QVector<int> given = widths;
    int spare = 0, first = -1;
    const auto isText = [&](int column) { return !model->columns().at(column).number; };
    const auto spareOf = [&](int column) {
        return isText(column) ? std::max(0, widths.at(column) - (column == first ? kMinName : kMinText)) : 0;
    };
    const auto addSpares = [&] {
        spare = 0;
        for (const int column : visible) spare += spareOf(column);
    };
    addSpares();
    if (missing > spare) {
        const auto found = std::find_if(visible.begin(), visible.end(), isText);
        if (found != visible.end()) first = *found;
        addSpares();
    }
    if (missing <= 0 || spare == 0) return given;
    for (const int column : visible)
        given[column] -=
            std::min(spareOf(column), static_cast<int>(std::int64_t{spareOf(column)} * missing / spare) + 1);
    return given;
}

/// The first column of text takes what is left; where little is missing, every column gives up its comfort.
void TableView::Implementation::stretch() {
    if (!sized || sizedByHand || widths.size() != model->columnCount()) return;
    const QHeaderView* header = view->horizontalHeader();
    QVector<int> visible;
    int text = -1;
    for (int place = 0; place < header->count(); ++place) {
        const int column = header->logicalIndex(place);
        if (header->isSectionHidden(column)) continue;
        visible.append(column);
        if (text < 0 && !model->columns().at(column).number) text = column;
    }
    const auto sum = [&](const QVector<int>& of) {
        return std::accumulate(visible.begin(), visible.end(), 0,
                               [&](int before, int column) { return before + of.at(column); });
    };
    const int room = view->viewport()->width();
    const QVector<int> given = roomyWidths(visible, sum(widths) - room);
    const int spare = room - sum(given);
    const auto columns = static_cast<int>(visible.size());
    const bool fits = spare >= 0 || -spare <= columns * theme().spacing(2);
    sizing = true;
    for (int i = 0; i < columns; ++i) {
        int width = given.at(visible.at(i));
        if (spare > 0 && visible.at(i) == text) width += spare;
        if (spare < 0 && fits) width += spare * (i + 1) / columns - spare * i / columns;
        view->setColumnWidth(visible.at(i), width);
    }
    sizing = false;
}

void TableView::Implementation::report() {
    const int row = owner->currentRow();
    if (row >= 0) wanted = row;
    if (row == reported) return;
    reported = row;
    emit owner->currentRowChanged(row);
}

QVector<int> TableView::Implementation::visibleColumns() const {
    QVector<int> columns;
    const QHeaderView* header = view->horizontalHeader();
    for (int place = 0; place < header->count(); ++place)
        if (const int column = header->logicalIndex(place); !header->isSectionHidden(column)) columns.append(column);
    return columns;
}

QString TableView::Implementation::tabSeparated(const QVector<int>& tableRows) const {
    const auto cell = [](QString text) {
        text.replace(QLatin1Char('\t'), QLatin1Char(' ')).replace(QLatin1Char('\n'), QLatin1Char(' '));
        return toQt(sheetText(text.toStdString()));  // it is pasted into spreadsheets
    };
    const QVector<int> columns = visibleColumns();
    QStringList lines;
    QStringList line;
    for (const int column : columns) line.append(cell(model->columns().at(column).title));
    lines.append(line.join(QLatin1Char('\t')));
    for (const int row : tableRows) {
        line.clear();
        for (const int column : columns) line.append(cell(model->exactText(row, column)));
        lines.append(line.join(QLatin1Char('\t')));
    }
    return lines.join(QLatin1Char('\n')) + QLatin1Char('\n');
}

std::string TableView::Implementation::csv() const {
    report::Table table;
    const QVector<int> columns = visibleColumns();
    for (const int column : columns)
        table.columns.push_back({model->columns().at(column).title.toStdString(), model->columns().at(column).number});
    for (int row = 0; row < rows->rowCount(); ++row) {
        std::vector<std::string> cells;
        for (const int column : columns) cells.push_back(model->exactText(rows->sourceRow(row), column).toStdString());
        table.rows.push_back(std::move(cells));
    }
    return report::toCsv(table);
}

void TableView::Implementation::addColumnMenu(QMenu& menu) {
    const bool last = visibleColumns().size() == 1;
    for (int column = 0; column < model->columnCount(); ++column) {
        QAction* action = menu.addAction(model->columns().at(column).title);
        action->setCheckable(true);
        action->setChecked(!view->isColumnHidden(column));
        action->setEnabled(!action->isChecked() || !last);
        connect(action, &QAction::toggled, owner, [this, column](bool visible) {
            view->setColumnHidden(column, !visible);
            stretch();
            if (foot != nullptr) foot->update();
        });
    }
}

void TableView::Implementation::openMenu(const QPoint& place, const QModelIndex& at) {
    QMenu menu;
    const int row = rows->sourceRow(at.row());
    const int column = at.column();
    if (rowMenu && at.isValid()) rowMenu(menu, row);
    const bool explains = owner->isSignalConnected(QMetaMethod::fromSignal(&TableView::explainRequested));
    if (explains && at.isValid() && model->columns().at(column).number)
        menu.addAction(theme().icon(u"explain"_s), u"Explain this number"_s, owner,
                       [this, row, column] { emit owner->explainRequested(row, column); });
    if (at.isValid())
        menu.addAction(theme().icon(u"copy"_s), u"Copy this value"_s, owner,
                       [this, row, column] { copyText(model->exactText(row, column)); });
    const QVector<int> selected = owner->selectedRows();
    QAction* copy = menu.addAction(selected.size() == 1 ? u"Copy 1 row with titles"_s
                                                        : u"Copy %1 rows with titles"_s.arg(countText(selected.size())),
                                   QKeySequence::Copy, owner, [this] { owner->copySelection(); });
    copy->setEnabled(!selected.isEmpty());
    menu.addSeparator();
    menu.addAction(theme().icon(u"filter"_s), u"Filter rows"_s, QKeySequence::Find, owner, [this] { focusFilter(); });
    addColumnMenu(*menu.addMenu(theme().icon(u"table"_s), u"Columns"_s));
    menu.addSeparator();
    addExportActions(*menu.addMenu(theme().icon(u"export"_s), u"Export"_s), *owner,
                     [this] { return owner->exportable(); });
    menu.exec(place);
}

TableView::TableView(TableModel* model, const QString& name, QWidget* parent)
    : QWidget(parent), d_(new Implementation(this, model, name)) {
    auto* column = bareLayout<QVBoxLayout>(this, 0);
    d_->buildFilter(*column);
    d_->buildView();
    column->addWidget(d_->view, 1);
    const bool summed = std::any_of(model->columns().begin(), model->columns().end(),
                                    [](const TableModel::Column& of) { return of.summed; });
    if (summed) column->addWidget(d_->foot = new Foot(d_->view, model));
    d_->connectAll();
    setFocusProxy(d_->view);
    d_->afterOrder();
    if (d_->foot != nullptr) d_->updateFoot();
}

TableView::~TableView() = default;

QTableView* TableView::view() const {
    return d_->view;
}

int TableView::currentRow() const {
    return d_->rows->sourceRow(d_->view->currentIndex().row());
}

void TableView::setCurrentRow(int row) {
    d_->wanted = row;
    const int place = d_->rows->rowOf(row);
    if (place < 0) {
        d_->view->clearSelection();
        d_->view->setCurrentIndex({});
        return;
    }
    d_->view->setCurrentIndex(d_->rows->index(place, d_->visibleColumns().value(0)));
}

QVector<int> TableView::selectedRows() const {
    QVector<int> places;
    for (const QModelIndex& index : d_->view->selectionModel()->selectedRows()) places.append(index.row());
    std::sort(places.begin(), places.end());
    for (int& place : places) place = d_->rows->sourceRow(place);
    return places;
}

void TableView::copySelection() {
    const QVector<int> selected = selectedRows();
    if (!selected.isEmpty()) copyText(d_->tabSeparated(selected));
}

void TableView::setFilterVisible(bool visible) {
    d_->filterVisible = visible;
    d_->afterOrder();
}

void TableView::setFilterText(const QString& words) {
    d_->filter->setText(words);
    d_->typing.stop();
    d_->rows->setFilter(words);
}

void TableView::setEmptyText(const QString& sentence) {
    d_->emptyText = sentence;
    d_->afterOrder();
}

void TableView::setRowMenu(std::function<void(QMenu& menu, int row)> fill) {
    d_->rowMenu = std::move(fill);
}

Exportable TableView::exportable() const {
    return {.name = d_->name, .svg = {}, .csv = [this] { return d_->csv(); }, .json = {}, .jsonTitle = {}, .dot = {}};
}

bool TableView::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Resize && watched == d_->view->viewport()) {
        d_->stretch();
        // What was chosen before the page had its size would lie out of sight; layouts are under way here.
        if (d_->wanted >= 0) QTimer::singleShot(0, d_->view, [this] { d_->view->scrollTo(d_->view->currentIndex()); });
    }
    // The table's own Copy and Find, though the window may have shortcuts of the same keys.
    if (event->type() == QEvent::ShortcutOverride && watched == d_->view) {
        const auto& pressed = *static_cast<QKeyEvent*>(event);
        if (pressed.matches(QKeySequence::Copy) || pressed.matches(QKeySequence::Find)) event->accept();
    }
    if (event->type() != QEvent::KeyPress) return QWidget::eventFilter(watched, event);
    const auto& key = *static_cast<QKeyEvent*>(event);
    if (watched == d_->view && key.matches(QKeySequence::Copy)) {
        copySelection();
        return true;
    }
    if (watched == d_->view && key.matches(QKeySequence::Find)) {
        d_->focusFilter();
        return true;
    }
    if (watched == d_->view && (key.key() == Qt::Key_Return || key.key() == Qt::Key_Enter) && currentRow() >= 0) {
        emit rowActivated(currentRow());
        return true;
    }
    if (watched == d_->filter && key.key() == Qt::Key_Escape && !d_->filter->text().isEmpty()) {
        d_->filter->clear();
        return true;
    }
    if (watched == d_->filter && key.key() == Qt::Key_Down) {
        d_->view->setFocus();
        return true;
    }
    return QWidget::eventFilter(watched, event);
}

}  // namespace tessera::ui
