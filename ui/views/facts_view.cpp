#include "ui/views/facts_view.h"

#include <QFrame>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QPushButton>
#include <QRegularExpression>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "core/base/text.h"
#include "ui/models/text.h"
#include "ui/views/explain_dialog.h"
#include "ui/views/text_label.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

constexpr int kExplain = 14;         ///< pixels of the "?"
constexpr int kCopiedShown = 1200;   ///< milliseconds
constexpr int kLongestValue = 1024;  ///< bytes; a sentence wraps, more is cut
constexpr int kBeside = 170;         ///< pixels for a value and the longest word of its label; else it stands below

QString factLine(const QString& text) {
    return toQt(escaped(text.toStdString(), kLongestValue));
}

/// One line whose long names may be broken after their separators, or anywhere where they have none: no name makes the
/// panel wider than it is.
QString wrapping(const QString& text) {
    static const QRegularExpression longName(u"\\S{19,}"_s);
    static const QRegularExpression separator(u"(?<=[_./:=])(?=\\w)|(?<=[^\\W_]{18})(?=\\w)"_s);
    QString line = factLine(text);
    return longName.match(line).hasMatch() ? line.replace(separator, QChar(0x200b)) : line;
}

/// One fact. The whole row is the button that copies it.
class FactRow : public QFrame {
public:
    FactRow(const Facts::Row& row, FactsView& view, bool keepsPlace) : row_(row), view_(view), keepsPlace_(keepsPlace) {
        setProperty("row", true);
        setFocusPolicy(Qt::TabFocus);
        setCursor(Qt::PointingHandCursor);
        setAccessibleName(u"%1: %2"_s.arg(row.label, row.value));
        setAccessibleDescription(row.whereFrom);
        setToolTip(u"Click to copy %1"_s.arg(factLine(exact())).toHtmlEscaped());
        auto* column = new QVBoxLayout(this);
        column->setContentsMargins(theme().spacing(2), 3, theme().spacing(2), 3);
        column->setSpacing(1);
        addValue(*column);
        if (!row.whereFrom.isEmpty())
            column->addWidget(textLabel(wrapping(row.whereFrom), Theme::Text::caption, u"secondary"_s, false, true));
    }

protected:
    void mouseReleaseEvent(QMouseEvent* event) override {
        QFrame::mouseReleaseEvent(event);
        copy();
    }
    void keyPressEvent(QKeyEvent* event) override {
        const bool copies = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter ||
                            event->key() == Qt::Key_Space || event->matches(QKeySequence::Copy);
        if (!copies) return QFrame::keyPressEvent(event);
        copy();
    }

private:
    QString exact() const { return row_.exact.isEmpty() ? row_.value : row_.exact; }

    void addValue(QVBoxLayout& column) {
        const bool isLong = !fitsBeside();
        auto* label = textLabel(wrapping(row_.label), Theme::Text::base, u"secondary"_s, false, true);
        value_ = textLabel(wrapping(row_.value), Theme::Text::base, {}, false, isLong);
        value_->setFont(theme().font(Theme::Text::base, false, true));
        auto* line = bareLayout<QHBoxLayout>(theme().spacing(2));
        line->addWidget(label, 1, Qt::AlignTop);
        if (isLong) {
            column.addLayout(line);
            column.addWidget(value_);
        } else {
            line->addWidget(value_, 0, Qt::AlignTop);
        }
        if (row_.explain) {
            line->addWidget(explainButton(), 0, Qt::AlignTop);
        } else if (keepsPlace_ && !isLong) {
            line->addSpacing(kExplain + 4);
        }
        if (!isLong) column.addLayout(line);
    }

    /// In a panel of the minimum width: what fits there fits everywhere.
    bool fitsBeside() const {
        const QFontMetrics metrics(theme().font(Theme::Text::base, false, true));
        int longest = 0;
        for (const QString& word : row_.label.split(QLatin1Char(' ')))
            longest = std::max(longest, metrics.horizontalAdvance(word));
        return longest + metrics.horizontalAdvance(row_.value) <= kBeside;
    }

    QToolButton* explainButton() {
        auto* button = new QToolButton;
        button->setProperty("compact", true);
        button->setIcon(theme().icon(u"explain"_s, "secondary"));
        button->setIconSize(QSize(kExplain, kExplain));
        button->setToolTip(u"Explain this number"_s);
        button->setAccessibleName(u"Explain %1"_s.arg(row_.label));
        connect(button, &QToolButton::clicked, this, [this] {
            if (const auto explanation = row_.explain()) showExplanation(*explanation, *window());
        });
        return button;
    }

    void copy() {
        copyText(exact());
        emit view_.copied(row_.label);
        value_->setText(u"Copied"_s);
        QTimer::singleShot(kCopiedShown, this, [this] { value_->setText(wrapping(row_.value)); });
    }

    Facts::Row row_;
    FactsView& view_;
    bool keepsPlace_;  ///< so that values line up with those of rows that can be explained
    QLabel* value_ = nullptr;
};

}  // namespace

FactsView::FactsView(QWidget* parent) : QWidget(parent) {
    bareLayout<QVBoxLayout>(this);
    setAccessibleName(u"Facts"_s);
}

void FactsView::setFacts(const Facts& facts) {
    if (page_ != nullptr) {
        page_->hide();
        page_->deleteLater();
    }
    page_ = new QWidget;
    auto* column = new QVBoxLayout(page_);
    const int side = theme().spacing();
    column->setContentsMargins(side, theme().spacing(3), side, theme().spacing(3));
    column->setSpacing(0);
    addTitle(*column, facts);
    for (const Facts::Section& section : facts.sections) addSection(*column, section);
    if (!facts.note.isEmpty()) {
        auto* note = textLabel(wrapping(facts.note), Theme::Text::base, u"secondary"_s, false, true);
        note->setContentsMargins(theme().spacing(2), theme().spacing(4), theme().spacing(2), 0);
        column->addWidget(note);
    }
    addActions(*column, facts.actions);
    column->addStretch(1);
    layout()->addWidget(page_);
}

void FactsView::addTitle(QVBoxLayout& column, const Facts& facts) {
    if (facts.title.isEmpty()) return;
    auto* line = new QHBoxLayout;
    line->setContentsMargins(theme().spacing(2), 0, theme().spacing(2), 0);
    line->setSpacing(theme().spacing(2));
    if (!facts.icon.isEmpty()) {
        auto* icon = new QToolButton;  // recoloured by itself, unlike a pixmap
        icon->setProperty("picture", true);
        icon->setIcon(theme().icon(facts.icon, "accent"));
        icon->setIconSize(QSize(20, 20));
        icon->setFocusPolicy(Qt::NoFocus);
        icon->setAttribute(Qt::WA_TransparentForMouseEvents);
        line->addWidget(icon, 0, Qt::AlignTop);
    }
    auto* title = textLabel(wrapping(facts.title), Theme::Text::panelTitle, {}, true, true);
    title->setAccessibleName(factLine(facts.title));
    line->addWidget(title, 1);
    column.addLayout(line);
    if (facts.subtitle.isEmpty()) return;
    auto* subtitle = textLabel(wrapping(facts.subtitle), Theme::Text::base, u"secondary"_s, false, true);
    subtitle->setContentsMargins(theme().spacing(2), theme().spacing(), theme().spacing(2), 0);
    column.addWidget(subtitle);
}

void FactsView::addSection(QVBoxLayout& column, const Facts::Section& section) {
    if (section.rows.isEmpty()) return;
    auto* title = textLabel(wrapping(section.title), Theme::Text::caption, u"secondary"_s, true, true);
    title->setContentsMargins(theme().spacing(2), theme().spacing(4), theme().spacing(2), theme().spacing());
    if (!section.title.isEmpty()) column.addWidget(title);
    if (section.title.isEmpty()) column.addSpacing(theme().spacing(2));
    const bool explains = std::any_of(section.rows.begin(), section.rows.end(),
                                      [](const Facts::Row& row) { return static_cast<bool>(row.explain); });
    for (const Facts::Row& row : section.rows) column.addWidget(new FactRow(row, *this, explains));
}

void FactsView::addActions(QVBoxLayout& column, const QVector<Facts::Action>& actions) {
    if (actions.isEmpty()) return;
    column.addSpacing(theme().spacing(4));
    for (const Facts::Action& action : actions) {
        auto* button = new QPushButton(theme().icon(action.icon), action.title);
        button->setToolTip(action.title);
        button->setMinimumWidth(1);  // in a panel that is too narrow for it, it is cut and not the panel
        button->setProperty("aligned", "left");
        if (action.run) connect(button, &QPushButton::clicked, this, action.run);
        auto* line = new QHBoxLayout;
        line->setContentsMargins(theme().spacing(2), 0, theme().spacing(2), theme().spacing());
        line->addWidget(button);
        column.addLayout(line);
    }
}

}  // namespace tessera::ui
