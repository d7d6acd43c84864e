#pragma once

#include <QJsonObject>
#include <string>

#include "ui/views/runs/run_view.h"

namespace tessera::test {

/// The first part of a kind that the picture or the details in front hold; null where neither does.
template <typename Part>
Part* inFront(const ui::RunPages& pages) {
    for (const ui::LazyTabs* tabs : {pages.pictures(), pages.details()})
        if (auto* part = tabs->currentWidget()->findChild<Part*>()) return part;
    return nullptr;
}

/// Opens the drawer without a trace in the settings.
inline void openDrawer(ui::RunPages& pages) {
    pages.restoreView({{QStringLiteral("drawer"), QJsonObject{{QStringLiteral("open"), true}}}});
}

/// What is looked at in a run's page, by name: "accpar" of its strategies.
inline void choose(ui::RunView& view, const char* what, const char* name) {
    view.restoreView({{QLatin1String(what), QLatin1String(name)}});
}
inline std::string chosen(const ui::RunView& view, const char* what) {
    return view.saveView().value(QLatin1String(what)).toString().toStdString();
}

}  // namespace tessera::test
