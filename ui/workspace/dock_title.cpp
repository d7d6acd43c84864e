#include "ui/workspace/dock_title.h"

#include <QAction>
#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>

#include "ui/theme/theme.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

DockTitle::DockTitle(QDockWidget& dock) : QWidget(&dock) {
    setAttribute(Qt::WA_StyledBackground);
    setLook(*this, "ground", "surface");
    auto* name = new QLabel(dock.windowTitle());
    name->setFont(theme().font(Theme::Text::base, true));
    auto* line = new QHBoxLayout(this);
    line->setContentsMargins(theme().spacing(3), theme().spacing(2), theme().spacing(2), theme().spacing());
    line->setSpacing(theme().spacing());
    line->addWidget(name, 1);
    const auto button = [&](const QString& icon, const QString& text, const QString& hint) {
        auto* action = new QAction(theme().icon(icon, "secondary"), text, this);
        action->setToolTip(hint);
        auto* made = new QToolButton;
        made->setDefaultAction(action);
        made->setToolButtonStyle(Qt::ToolButtonIconOnly);
        made->setAccessibleName(hint);
        made->setFocusPolicy(Qt::NoFocus);
        setLook(*made, "compact", true);
        line->addWidget(made);
        return action;
    };
    const QString title = dock.windowTitle();
    floating_ = button(u"external"_s, title, u"Take %1 out of the window"_s.arg(title));
    const QAction* hides =
        button(u"close"_s, u"Hide %1"_s.arg(title), u"Hide %1; the View menu shows it again"_s.arg(title));
    connect(floating_, &QAction::triggered, &dock, [&dock] {
        dock.show();
        dock.setFloating(!dock.isFloating());
    });
    connect(hides, &QAction::triggered, &dock, &QWidget::close);
}

}  // namespace tessera::ui
