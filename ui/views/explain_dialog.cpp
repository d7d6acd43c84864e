#include "ui/views/explain_dialog.h"

#include <QDialog>
#include <QDialogButtonBox>
#include <QGridLayout>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

#include "core/base/text.h"
#include "ui/models/text.h"
#include "ui/views/text_label.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

constexpr int kLongestText = 2048;  ///< bytes; formulas and sources are sentences
constexpr int kWidth = 560;
constexpr int kHighest = 720;

QString oneLine(const std::string& text) {
    return toQt(escaped(text, kLongestText));
}

QLabel* selectable(QLabel* label) {
    label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    return label;
}

void addCaption(QVBoxLayout& column, const QString& text) {
    auto* label = textLabel(text, Theme::Text::caption, u"secondary"_s, true);
    label->setContentsMargins(0, theme().spacing(3), 0, 0);
    column.addWidget(label);
}

/// The number itself, with its exact value and unit small behind it.
QLayout* valueLine(const study::Explanation& explanation) {
    auto* line = bareLayout<QHBoxLayout>(theme().spacing(3));
    auto* value = selectable(textLabel(oneLine(explanation.value), Theme::Text::headline, {}, true));
    value->setFont(theme().font(Theme::Text::headline, true, true));
    line->addWidget(value);
    if (!explanation.exact.empty() && explanation.exact != explanation.value)
        line->addWidget(
            selectable(textLabel(u"exactly %1"_s.arg(oneLine(explanation.exact)), Theme::Text::base, u"secondary"_s)),
            0, Qt::AlignBottom);
    line->addStretch(1);
    return line;
}

QWidget* formulaCard(const study::Explanation& explanation) {
    auto* card = new QFrame;
    card->setProperty("ground", "card");
    auto* column = new QVBoxLayout(card);
    const int padding = theme().size("padding");
    column->setContentsMargins(padding, padding, padding, padding);
    column->addWidget(selectable(textLabel(oneLine(explanation.formula), Theme::Text::base, {}, true, true)));
    return card;
}

QLayout* termGrid(const study::Explanation& explanation) {
    auto* grid = new QGridLayout;
    grid->setHorizontalSpacing(theme().spacing(4));
    grid->setVerticalSpacing(theme().spacing());
    grid->setColumnStretch(2, 1);
    int row = 0;
    for (const study::Explanation::Term& term : explanation.terms) {
        grid->addWidget(selectable(textLabel(oneLine(term.name), Theme::Text::base, {}, false, true)), row, 0,
                        Qt::AlignTop);
        auto* value = selectable(textLabel(oneLine(term.value)));
        value->setFont(theme().font(Theme::Text::base, true, true));
        grid->addWidget(value, row, 1, Qt::AlignTop | Qt::AlignRight);
        grid->addWidget(selectable(textLabel(oneLine(term.whereFrom), Theme::Text::base, u"secondary"_s, false, true)),
                        row++, 2, Qt::AlignTop);
    }
    grid->setColumnMinimumWidth(0, kWidth / 3);
    return grid;
}

QString asText(const study::Explanation& explanation) {
    QStringList lines{oneLine(explanation.title) + u": "_s + oneLine(explanation.value),
                      u"Exactly: %1"_s.arg(oneLine(explanation.exact)),
                      u"Formula: %1"_s.arg(oneLine(explanation.formula))};
    for (const study::Explanation::Term& term : explanation.terms)
        lines.append(u"  %1 = %2 (%3)"_s.arg(oneLine(term.name), oneLine(term.value), oneLine(term.whereFrom)));
    if (!explanation.source.empty()) lines.append(u"Source: %1"_s.arg(oneLine(explanation.source)));
    for (const std::string& note : explanation.notes) lines.append(u"- "_s + oneLine(note));
    return lines.join(QLatin1Char('\n'));
}

QWidget* page(const study::Explanation& explanation) {
    auto* content = new QWidget;
    auto* column = new QVBoxLayout(content);
    const int side = theme().spacing(5);
    column->setContentsMargins(side, theme().spacing(4), side, theme().spacing(2));
    column->setSpacing(theme().spacing(2));
    column->addWidget(textLabel(oneLine(explanation.title), Theme::Text::base, u"secondary"_s, false, true));
    column->addLayout(valueLine(explanation));
    if (!explanation.formula.empty()) {
        addCaption(*column, u"How it is computed"_s);
        column->addWidget(formulaCard(explanation));
    }
    if (!explanation.terms.empty()) {
        addCaption(*column, u"From what"_s);
        column->addLayout(termGrid(explanation));
    }
    if (!explanation.source.empty()) {
        addCaption(*column, u"Where the formula is from"_s);
        column->addWidget(selectable(textLabel(oneLine(explanation.source), Theme::Text::base, {}, false, true)));
    }
    if (!explanation.notes.empty()) addCaption(*column, u"This rests on"_s);
    for (const std::string& note : explanation.notes)
        column->addWidget(selectable(textLabel(oneLine(note), Theme::Text::base, {}, false, true)));
    column->addStretch(1);
    return content;
}

}  // namespace

void showExplanation(const study::Explanation& explanation, QWidget& owner) {
    auto* dialog = new QDialog(owner.window());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setObjectName(u"explanation"_s);
    dialog->setWindowTitle(u"Explain this number"_s);
    dialog->setAccessibleDescription(oneLine(explanation.title));
    auto* column = bareLayout<QVBoxLayout>(dialog, 0);
    auto* scroll = new QScrollArea;
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setProperty("ground", "window");
    auto* content = page(explanation);
    content->setProperty("ground", "window");
    scroll->setWidget(content);
    column->addWidget(scroll, 1);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    buttons->setContentsMargins(theme().spacing(5), theme().spacing(2), theme().spacing(5), theme().spacing(4));
    auto* copy = buttons->addButton(u"Copy as text"_s, QDialogButtonBox::ActionRole);
    for (QAbstractButton* button : buttons->buttons()) qobject_cast<QPushButton*>(button)->setAutoDefault(false);
    copy->setIcon(theme().icon(u"copy"_s));
    QObject::connect(copy, &QPushButton::clicked, dialog, [text = asText(explanation)] { copyText(text); });
    QObject::connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::close);
    column->addWidget(buttons);
    const int height = content->layout()->heightForWidth(kWidth) + buttons->sizeHint().height() + theme().spacing(4);
    dialog->resize(kWidth, std::min(height, kHighest));
    dialog->show();
}

}  // namespace tessera::ui
