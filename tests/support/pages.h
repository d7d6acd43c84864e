#pragma once

#include <QJsonObject>

#include "ui/views/runs/run_pages.h"

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

}  // namespace tessera::test
