#pragma once

#include <QVector>
#include <functional>
#include <memory>
#include <string_view>

#include "core/report/catalogue.h"
#include "ui/views/exportable.h"

/// Exports of a view of a result, by the rows of the catalogue. Values are made on request, and do not
/// need the view any more.
namespace tessera::ui::exports {

using SharedResult = std::shared_ptr<const study::Result>;

/// Every picture, table and document of a result, as chosen in its view; what is solved anew is not among them.
QVector<Exportable> everything(const SharedResult& result, const report::Selection& at);
/// The files that other programs read, as chosen: of a plan those of the frameworks that can run it.
QVector<Exportable> files(const SharedResult& result, const report::Selection& at);
/// Exports of what was solved anew for the picture of an id, and of the table of the same id.
QVector<Exportable> solved(const SharedResult& result, std::string_view id,
                           const std::function<report::Picture()>& picture,
                           const std::function<report::Table()>& table);
/// The timeline; its JSON is a Chrome trace. Without functions where the result has none.
Exportable trace(const SharedResult& result, const report::Selection& at);
/// The output document.
Exportable document(const SharedResult& result);

}  // namespace tessera::ui::exports
