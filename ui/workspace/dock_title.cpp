#include "ui/workspace/dock_title.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>

#include "ui/theme/theme.h"

namespace tessera::ui {

DockTitle::DockTitle(QDockWidget& dock) : QWidget(&dock) {
    setAttribute(Qt::WA_StyledBackground);
    setLook(*this, "ground", "surface");
    auto* name = new QLabel(dock.windowTitle());
    name->setFont(theme().font(Theme::Text::base, true));
    auto* line = new QHBoxLayout(this);
    line->setContentsMargins(theme().spacing(3), theme().spacing(2), theme().spacing(2), theme().spacing());
    line->setSpacing(theme().spacing());
    line->addWidget(name, 1);
    const auto button = [&](const QString& icon, const QString& hint) {
        auto* made = new QToolButton;
        made->setIcon(theme().icon(icon, "secondary"));
        made->setToolTip(hint);
        made->setAccessibleName(hint);
        setLook(*made, "compact", true);
        line->addWidget(made);
        return made;
    };
    QToolButton* floats = button(QStringLiteral("external"), tr("Take %1 out of the window").arg(dock.windowTitle()));
    QToolButton* hides =
        button(QStringLiteral("close"), tr("Hide %1; the View menu shows it again").arg(dock.windowTitle()));
    connect(floats, &QToolButton::clicked, &dock, [&dock] { dock.setFloating(!dock.isFloating()); });
    connect(hides, &QToolButton::clicked, &dock, &QWidget::close);
}

}  // namespace tessera::ui
