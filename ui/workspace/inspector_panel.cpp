#include "ui/workspace/inspector_panel.h"

#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "ui/theme/theme.h"
#include "ui/workspace/empty_hint.h"

namespace tessera::ui {

namespace {

QLabel* textLabel(const QString& text, Theme::Text role, bool emphasis) {
    auto* label = new QLabel(text);
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    label->setFont(theme().font(role, emphasis));
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return label;
}

}  // namespace

InspectorPanel::InspectorPanel(QWidget* parent) : QScrollArea(parent) {
    setWidgetResizable(true);
    setFrameShape(QFrame::NoFrame);
    setAccessibleName(tr("Inspector"));
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setWidget(new EmptyHint(tr("Select something to see its facts here.")));
}

void InspectorPanel::setFacts(const Facts& facts) {
    auto* page = new QWidget;
    auto* column = new QVBoxLayout(page);
    column->addWidget(textLabel(facts.title, Theme::Text::panelTitle, true));
    column->addWidget(textLabel(facts.subtitle, Theme::Text::caption, false));
    for (const Facts::Section& section : facts.sections)
        for (const Facts::Row& row : section.rows)
            column->addWidget(textLabel(row.label + QStringLiteral(": ") + row.value, Theme::Text::base, false));
    column->addWidget(textLabel(facts.note, Theme::Text::base, false));
    for (const Facts::Action& action : facts.actions) {
        auto* button = new QPushButton(theme().icon(action.icon), action.title);
        connect(button, &QPushButton::clicked, this, action.run);
        column->addWidget(button);
    }
    column->addStretch(1);
    setWidget(page);
}

}  // namespace tessera::ui
