#include "ui/models/codesign_run.h"

#include "core/hardware/architecture.h"
#include "core/report/codesign_pictures.h"

namespace tessera::ui {

CodesignRun::CodesignRun(std::shared_ptr<const codesign::Result> result)
    : result_(std::move(result)),
      known_(std::make_shared<const Known>(Known{report::pointRows(*result_), report::pointValues(*result_)})) {}

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
