#pragma once

#include <QString>
#include <memory>
#include <string_view>
#include <vector>

#include "core/codesign/search/search.h"
#include "core/report/catalogue.h"
#include "core/report/codesign_points.h"
#include "core/study/codesign/outcome.h"
#include "ui/models/engine_run.h"

namespace tessera::ui {

/// A finished co-design search.
class CodesignRun : public EngineRun<study::CodesignOutcome> {
public:
    CodesignRun() = default;
    explicit CodesignRun(std::shared_ptr<const study::Result> whole);

    const study::Result& whole() const { return EngineRun::result(); }
    const codesign::Result& result() const { return outcome().result; }
    /// Every architecture that is known, by rising area.
    const std::vector<study::KnownDesign>& rows() const { return derived_->rows; }
    const study::KnownDesign& row(int index) const { return rows().at(static_cast<std::size_t>(index)); }
    int rowCount() const { return isEmpty() ? 0 : static_cast<int>(derived_->rows.size()); }
    /// The rows as points, in their order.
    const std::shared_ptr<const explore::PointTable>& points() const { return derived_->points; }
    const explore::PointColumn* value(std::string_view id) const;  ///< null = there is none
    int bestRow() const;                                           ///< -1 = nothing fits
    int rowNamed(const QString& architecture) const;               ///< -1 = none
    QString architecture(int row) const;                           ///< "8tc-2vc-128x128-128MiB"
    int modelCount() const { return isEmpty() ? 0 : static_cast<int>(result().perModel.size()); }
    const codesign::ModelResult& model(int index) const {
        return result().perModel.at(static_cast<std::size_t>(index));
    }
    QString modelTitle(int index) const;

private:
    struct Derived {
        std::vector<study::KnownDesign> rows;
        std::shared_ptr<const explore::PointTable> points;
    };
    std::shared_ptr<const Derived> derived_;
};

/// Choice that the parts of a co-design view share, so that one choice moves all.
struct CodesignChoice {
    CodesignRun run;
    int row = -1;     ///< the architecture that is looked at
    int pinned = -1;  ///< the one that it is compared with
    int model = 0;
    bool backward = false;  ///< which pass the operators' schedule is of

    /// Selection for the catalogue of pictures.
    report::Selection selection() const {
        return {.choice = model < run.modelCount() ? run.model(model).model : std::string()};
    }
};

using SharedCodesignChoice = std::shared_ptr<CodesignChoice>;

}  // namespace tessera::ui
