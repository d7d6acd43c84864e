#include "ui/views/lazy_tabs.h"

#include <QLabel>
#include <QSplitter>
#include <QVBoxLayout>

#include "ui/theme/theme.h"

namespace tessera::ui {

LazyTabs::LazyTabs(QWidget* parent) : QTabWidget(parent) {
    setDocumentMode(true);
    connect(this, &QTabWidget::currentChanged, this, &LazyTabs::see);
}

void LazyTabs::addPage(const QString& id, const QString& title, std::function<QWidget*()> make,
                       std::function<void()> fill) {
    auto* holder = new QWidget(this);
    auto* layout = new QVBoxLayout(holder);
    layout->setContentsMargins(0, theme().spacing(2), 0, 0);
    pages_.push_back({.id = id, .make = std::move(make), .fill = std::move(fill), .holder = holder});
    addTab(holder, title);
}

void LazyTabs::refresh() {
    ++generation_;
    for (Page& page : pages_) page.stale = true;
    see(currentIndex());
}

QString LazyTabs::tab() const {
    return currentIndex() < 0 ? QString() : pages_.at(static_cast<std::size_t>(currentIndex())).id;
}

void LazyTabs::openTab(const QString& id) {
    for (std::size_t index = 0; index < pages_.size(); ++index)
        if (pages_[index].id == id && isTabVisible(static_cast<int>(index))) setCurrentIndex(static_cast<int>(index));
}

void LazyTabs::setPageShown(const QString& id, bool shown) {
    for (std::size_t index = 0; index < pages_.size(); ++index)
        if (pages_[index].id == id) setTabVisible(static_cast<int>(index), shown);
}

void LazyTabs::see(int index) {
    if (index < 0 || index >= static_cast<int>(pages_.size()) || generation_ == 0) return;
    Page& page = pages_[static_cast<std::size_t>(index)];
    if (!page.made) {
        page.holder->layout()->addWidget(page.make());
        page.made = true;
    }
    if (std::exchange(page.stale, false)) page.fill();
}

QSplitter* besides(QWidget* picture, QWidget* table) {
    auto* splitter = new QSplitter(Qt::Horizontal);
    splitter->setChildrenCollapsible(false);
    splitter->addWidget(picture);
    splitter->addWidget(table);
    splitter->setStretchFactor(0, 1);
    splitter->setStretchFactor(1, 1);
    constexpr int kHalf = 1000;
    splitter->setSizes({kHalf, kHalf});
    return splitter;
}

QWidget* under(QWidget* top, QWidget* bottom) {
    auto* page = new QWidget;
    auto* layout = new QVBoxLayout(page);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(theme().spacing(2));
    layout->addWidget(top);
    layout->addWidget(bottom, 1);
    return page;
}

QLabel* sentences() {
    auto* label = new QLabel;
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    return label;
}

}  // namespace tessera::ui
