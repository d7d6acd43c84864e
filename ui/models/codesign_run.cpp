#include "ui/models/codesign_run.h"

#include <utility>
#include <variant>

#include "core/hardware/architecture.h"
#include "core/report/codesign_pictures.h"
#include "core/study/codesign/outcome.h"

namespace tessera::ui {

CodesignRun::CodesignRun(std::shared_ptr<const study::Result> whole) : EngineRun(std::move(whole)) {
    auto derived = std::make_shared<Derived>();
    derived->rows = study::knownDesigns(result());
    derived->points = std::make_shared<const explore::PointTable>(study::pointTable(result(), derived->rows));
    derived_ = std::move(derived);
}

const explore::PointColumn* CodesignRun::value(std::string_view id) const {
    const std::optional<std::size_t> column = report::columnNamed(*points(), id);
    return column ? &points()->columns[*column] : nullptr;
}

int CodesignRun::bestRow() const {
    for (int index = 0; index < rowCount(); ++index)
        if (row(index).best) return index;
    return -1;
}

int CodesignRun::rowNamed(const QString& architecture) const {
    for (int index = 0; index < rowCount(); ++index)
        if (this->architecture(index) == architecture) return index;
    return -1;
}

QString CodesignRun::architecture(int row) const {
    return row < 0 || row >= rowCount() ? QString()
                                        : QString::fromStdString(hardware::nameOf(this->row(row).point.architecture));
}

QString CodesignRun::modelTitle(int index) const {
    return QString::fromStdString(report::modelTitle(model(index).model));
}

}  // namespace tessera::ui
