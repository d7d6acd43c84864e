#include "ui/views/exportable.h"

namespace tessera::ui {

void addExportActions(QMenu& /*menu*/, QWidget& /*owner*/, const std::function<Exportable()>& /*what*/) {}
void exportTo(const Exportable& /*what*/, const QString& /*format*/, const QString& /*path*/, double /*scale*/) {}

}  // namespace tessera::ui
