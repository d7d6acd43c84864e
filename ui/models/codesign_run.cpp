#include "ui/models/codesign_run.h"

#include <utility>
#include <variant>

#include "core/hardware/architecture.h"
#include "core/report/codesign_pictures.h"
#include "core/study/codesign/outcome.h"

namespace tessera::ui {

CodesignRun::CodesignRun(std::shared_ptr<const study::Result> whole)
    : EngineRun(std::move(whole)),
      derived_(std::make_shared<const Derived>(Derived{report::pointRows(result()), report::pointValues(result())})) {}

const report::PointValue* CodesignRun::value(const QString& id) const {
    for (const report::PointValue& value : values())
        if (QString::fromStdString(value.id) == id) return &value;
    return nullptr;
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
