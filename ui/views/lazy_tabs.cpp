#include "ui/views/lazy_tabs.h"

#include <QLabel>
#include <QVBoxLayout>
#include <algorithm>

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

bool LazyTabs::has(const QString& id) const {
    return std::any_of(pages_.begin(), pages_.end(), [&](const Page& page) { return page.id == id; });
}

bool LazyTabs::isEmpty() const {
    for (int index = 0; index < count(); ++index)
        if (isTabVisible(index)) return false;
    return true;
}

void LazyTabs::setFolded(bool folded) {
    if (std::exchange(folded_, folded) != folded) see(currentIndex());
}

void LazyTabs::refresh() {
    ++generation_;
    for (Page& page : pages_) page.stale = true;
    see(currentIndex());
}

void LazyTabs::refresh(const QStringList& ids) {
    for (Page& page : pages_) page.stale = page.stale || ids.contains(page.id);
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

void LazyTabs::addHelp(const QString& id, const QString& line) {
    for (std::size_t index = 0; index < pages_.size(); ++index) {
        if (pages_[index].id != id) continue;
        QStringList lines = tabToolTip(static_cast<int>(index)).split(QLatin1Char('\n'), Qt::SkipEmptyParts);
        if (!lines.contains(line)) lines << line;
        setTabToolTip(static_cast<int>(index), lines.join(QLatin1Char('\n')));
    }
}

void LazyTabs::see(int index) {
    if (index < 0 || index >= static_cast<int>(pages_.size()) || generation_ == 0 || folded_) return;
    Page& page = pages_[static_cast<std::size_t>(index)];
    if (!page.made) {
        QWidget* made = page.make();
        page.holder->layout()->addWidget(made);
        made->show();  // where it was there, hidden, before
        page.made = true;
    }
    if (std::exchange(page.stale, false)) page.fill();
}

QWidget* vSplit(QWidget* top, QWidget* bottom) {
    auto* page = new QWidget;
    auto* layout = bareLayout<QVBoxLayout>(page, theme().spacing(2));
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
