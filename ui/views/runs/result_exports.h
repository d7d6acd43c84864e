#pragma once

#include <memory>

#include "core/draw/picture.h"
#include "core/draw/table.h"
#include "core/study/result.h"
#include "ui/views/exportable.h"

/// What leaves a view of a result. Values are made when they are asked for, and do not need the view any more.
namespace tessera::ui::exports {

/// A picture whose value `make` yields.
template <typename Make>
Exportable picture(const QString& name, Make make) {
    return {.name = name,
            .svg = [make](const report::Theme& theme) { return report::toSvg(make(), theme); },
            .csv = [make] { return report::toCsv(make()); }};
}

template <typename Make>
Exportable table(const QString& name, Make make) {
    return {.name = name, .csv = [make] { return report::toCsv(make()); }};
}

/// A timeline; its JSON is a Chrome trace.
template <typename Make>
Exportable timeline(const QString& name, Make make) {
    Exportable what = picture(name, make);
    what.json = [make] { return report::toChromeTrace(make()); };
    what.jsonTitle = QObject::tr("Chrome trace");
    return what;
}

/// The output document.
Exportable document(const QString& name, std::shared_ptr<const study::Result> result);

}  // namespace tessera::ui::exports
