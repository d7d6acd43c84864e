#include "ui/views/runs/run_pages.h"

#include <QAction>
#include <QJsonDocument>
#include <QLabel>
#include <QScopedValueRollback>
#include <QScrollArea>
#include <QSettings>
#include <QTabBar>
#include <QToolButton>
#include <algorithm>
#include <memory>
#include <vector>

#include "ui/models/partition_tables.h"
#include "ui/models/table_columns.h"
#include "ui/models/table_model.h"
#include "ui/models/text.h"
#include "ui/theme/theme.h"
#include "ui/views/picture_alone.h"
#include "ui/views/table_view.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

constexpr const char* kDrawer = "runs/drawer";  ///< in the settings
constexpr int kAroundPicture = 19;              ///< what a picture's own switches take, in spacing steps
constexpr int kMinDetails = 32;                 ///< below a row of tabs, in spacing steps
constexpr int kMinPicture = 20;                 ///< in spacing steps
constexpr double kOpenedShare = 0.35;           ///< of the height, where the user opens a drawer that has no room
constexpr double kMaxShare = 0.8;

QToolButton* corner(QAction* action) {
    auto* button = new QToolButton;
    button->setDefaultAction(action);
    button->setAutoRaise(true);
    return button;
}

}  // namespace

RunPages::RunPages(QWidget* parent)
    : QSplitter(Qt::Vertical, parent), pictures_(new LazyTabs), details_(new LazyTabs), fold_(new QAction(this)) {
    setChildrenCollapsible(false);
    addWidget(pictures_);
    addWidget(details_);
    pictures_->setMinimumHeight(theme().spacing(kMinPicture));
    pictures_->setAccessibleName(u"Pictures"_s);
    details_->setAccessibleName(u"Details"_s);
    auto* alone = new QAction(theme().icon(u"expand"_s, "secondary"), u"Show the picture alone"_s, this);
    alone->setToolTip(u"Shows the picture alone (F or a double-click); Escape puts it back"_s);
    connect(alone, &QAction::triggered, this, [this] {
        if (QWidget* picture = pictureOn(*pictures_)) toggleAlone(*picture);
    });
    pictures_->setCornerWidget(corner(alone));
    details_->setCornerWidget(corner(fold_));
    connect(fold_, &QAction::triggered, this, [this] { setOpen(!isOpen()); });
    connect(&theme(), &Theme::changed, this, [this, alone] {
        alone->setIcon(theme().icon(u"expand"_s, "secondary"));
        arrange();
    });
    for (LazyTabs* tabs : {pictures_, details_}) connect(tabs, &LazyTabs::troubled, this, &RunPages::troubled);
    connect(pictures_, &QTabWidget::currentChanged, this, [this] { showDetailsOf(tab()); });
    // Whoever chooses details wants to see them.
    connect(details_, &QTabWidget::currentChanged, this, [this] {
        if (!following_) setOpen(true);
    });
    connect(details_, &QTabWidget::tabBarClicked, this, [this](int tab) {
        if (tab >= 0 && !isOpen()) setOpen(true);
    });
    connect(this, &QSplitter::splitterMoved, this, [this] {
        height_ = sizes().at(1);
        open_ = true;
        remember();
    });
    takeDrawer(QJsonDocument::fromJson(QSettings().value(QLatin1String(kDrawer)).toByteArray()).object());
    arrange();
}

void RunPages::addSentences(const char* id, const QString& title, std::function<QStringList()> lines) {
    auto* text = sentences();
    text->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    text->setContentsMargins(0, 0, theme().spacing(3), 0);
    details_->addPage(
        QLatin1String(id), title,
        [text, title] {
            auto* scroll = new QScrollArea;
            scroll->setWidget(text);
            scroll->setAccessibleName(title);
            scroll->setWidgetResizable(true);
            scroll->setFrameShape(QFrame::NoFrame);
            return scroll;
        },
        [text, lines = std::move(lines)] { text->setText(lines().join(QLatin1String("\n\n"))); });
    text->setParent(details_);  // until it is in sight
    text->hide();
}

void RunPages::addAssumptions(std::function<const study::Result&()> result) {
    addSentences("assumptions", u"Assumptions"_s, [result] {
        QStringList lines;
        for (const auto* all : {&result().warnings, &result().assumptions})
            for (const std::string& sentence : *all)
                if (const QString line = shownText(sentence); !lines.contains(line)) lines << line;
        if (lines.isEmpty()) lines << u"This result rests on no assumption and has no warning."_s;
        return lines;
    });
    const auto inputs = std::make_shared<std::vector<study::Input>>();
    const auto input = [inputs](int row) -> const study::Input& { return inputs->at(static_cast<std::size_t>(row)); };
    addTable("inputs", u"Inputs"_s,
             {.model =
                  [input](QObject* owner) {
                      return new TableModel(
                          {columns::words(u"Input"_s, [input](int row) { return shownText(input(row).name); }),
                           columns::words(u"SHA-256"_s, [input](int row) { return shownText(input(row).sha256); })},
                          owner);
                  },
              .rows =
                  [inputs, result] {
                      *inputs = result().inputs;
                      return static_cast<int>(inputs->size());
                  }});
}

void RunPages::addTable(const char* id, const QString& title, const Table& table) {
    const auto make = [this, id = QString::fromLatin1(id), title, table] {
        TableModel* model = table.model(this);
        auto* view = new TableView(model, title);
        view->setFilterVisible(table.filtered);
        if (!table.empty.isEmpty()) view->setEmptyText(table.empty);
        connect(view, &TableView::explainRequested, this, [this, model](int row, int column) {
            const QString path = explainPath(*model, row, column);
            if (!path.isEmpty()) emit explainRequested(path);
        });
        connect(view, &TableView::currentRowChanged, this, [this, chosen = table.chosen](int row) {
            if (row >= 0 && !marking_ && chosen) chosen(row);
        });
        if (table.menu) view->setRowMenu([fill = table.menu](QMenu& menu, int) { fill(menu); });
        tables_[id] = {model, view};
        return view;
    };
    const auto fill = [this, id = QString::fromLatin1(id), table] {
        const QScopedValueRollback<bool> guard(marking_, true);
        const auto [model, view] = tables_.at(id);
        model->setRowCount(table.rows());
        if (table.current) view->setCurrentRow(table.current());
    };
    details_->addPage(QLatin1String(id), title, make, fill);
}

void RunPages::markRow(const QString& id, int row) {
    const QScopedValueRollback<bool> guard(marking_, true);
    if (const auto table = tables_.find(id); table != tables_.end()) table->second.second->setCurrentRow(row);
}

void RunPages::refresh() {
    pictures_->refresh();
    details_->refresh();
    following_ = false;
}

void RunPages::openTab(const QString& id) {
    if (pictures_->has(id)) return pictures_->openTab(id);
    if (!details_->has(id)) return;
    const QScopedValueRollback<bool> guard(following_, true);
    details_->openTab(id);
    open_ = true;
    arrange();
}

void RunPages::setPageShown(const QString& id, bool shown) {
    for (LazyTabs* tabs : {pictures_, details_}) setPageShown(*tabs, id, shown);
}

void RunPages::setPageShown(LazyTabs& among, const QString& id, bool shown) {
    const QScopedValueRollback<bool> guard(following_, true);
    among.setPageShown(id, shown);
    arrange();
}

void RunPages::showDetailsOf(const QString& picture) {
    const QScopedValueRollback<bool> guard(following_, true);
    const auto paired = pairs_.find(picture);
    details_->openTab(paired == pairs_.end() ? picture : paired->second);
}

bool RunPages::isOpen() const {
    return details_->minimumHeight() < details_->maximumHeight();
}

void RunPages::setOpen(bool open) {
    open_ = open;
    remember();
    arrange();
}

void RunPages::resizeEvent(QResizeEvent* event) {
    QSplitter::resizeEvent(event);
    arrange();
}

void RunPages::showEvent(QShowEvent* event) {
    QSplitter::showEvent(event);
    arrange();
}

void RunPages::arrange() {
    const int all = height() - handleWidth();
    const int row = details_->tabBar()->sizeHint().height();
    const int page = parentWidget() == nullptr ? height() : parentWidget()->height();
    const int around = pictures_->tabBar()->sizeHint().height() + theme().spacing(kAroundPicture);
    const int rest = all - around - static_cast<int>(kPictureShare * page);
    const int min = row + theme().spacing(kMinDetails);
    const bool alone = pictures_->isEmpty();  // there are details only
    const bool open = alone || open_.value_or(rest >= min);
    pictures_->setVisible(!alone);
    fold_->setVisible(!alone);
    details_->setFolded(!open);
    details_->setMinimumHeight(row);
    details_->setMaximumHeight(open ? QWIDGETSIZE_MAX : row);
    const int given = height_ > 0 ? height_ : open_ ? std::max(rest, static_cast<int>(kOpenedShare * all)) : rest;
    const int lower = open ? std::clamp(given, std::min(min, all / 2), static_cast<int>(kMaxShare * all)) : row;
    setSizes({std::max(0, all - lower), lower});
    fold_->setText(open ? u"Fold the details away"_s : u"Show the details"_s);
    fold_->setToolTip(fold_->text() + u" (Ctrl+J)"_s);
    fold_->setIcon(theme().icon(open ? u"down"_s : u"up"_s, "secondary"));
}

QJsonObject RunPages::drawer() const {
    QJsonObject drawer;
    if (open_) drawer[u"open"_s] = *open_;
    if (height_ > 0) drawer[u"height"_s] = height_;
    return drawer;
}

void RunPages::takeDrawer(const QJsonObject& drawer) {
    constexpr int kTallest = 10'000;
    const QJsonValue open = drawer.value(QLatin1String("open"));
    if (open.isBool()) open_ = open.toBool();
    const int height = drawer.value(QLatin1String("height")).toInt();
    if (height > 0 && height < kTallest) height_ = height;
}

/// What the next page begins with.
void RunPages::remember() {
    QSettings().setValue(QLatin1String(kDrawer), QJsonDocument(drawer()).toJson(QJsonDocument::Compact));
}

QJsonObject RunPages::saveView() const {
    return {{u"tab"_s, tab()}, {u"details"_s, details_->tab()}, {u"drawer"_s, drawer()}};
}

void RunPages::restoreView(const QJsonObject& view) {
    openTab(view.value(QLatin1String("tab")).toString());
    {
        const QScopedValueRollback<bool> guard(following_, true);
        details_->openTab(view.value(QLatin1String("details")).toString());
    }
    takeDrawer(view.value(QLatin1String("drawer")).toObject());
    arrange();
}

}  // namespace tessera::ui
