#include "ui/views/runs/run_view.h"

#include <algorithm>

#include "core/report/catalogue.h"
#include "core/study/codesign/outcome.h"
#include "core/study/mapping/outcome.h"
#include "core/study/partition/outcome.h"
#include "core/study/prediction/outcome.h"
#include "ui/views/runs/catalogue_view.h"
#include "ui/views/runs/codesign_view.h"
#include "ui/views/runs/mapping_view.h"
#include "ui/views/runs/partition_view.h"
#include "ui/views/runs/prediction_view.h"

namespace tessera::ui {

namespace {

template <typename View>
RunView* make(QUndoStack* undo, QWidget* parent) {
    return new View(undo, parent);
}

/// Of the engine with this outcome, whose own view needs some of what it found.
template <typename Outcome>
bool isOf(const study::Result& result) {
    return result.outcome.as<Outcome>() != nullptr;
}

bool hasPlans(const study::Result& result) {
    return !result.outcome.get<study::PartitionOutcome>().result.plans.empty();
}

bool hasMappings(const study::Result& result) {
    return !result.outcome.get<study::MappingOutcome>().result.runs.empty();
}

bool hasPredicted(const study::Result& result) {
    return !result.outcome.get<study::PredictionOutcome>().predictions.empty();
}

bool hasCatalogue(const study::Result& result) {
    const std::vector<report::Catalogue>& all = report::catalogues();
    return std::any_of(all.begin(), all.end(),
                       [&](const report::Catalogue& its) { return its.engine == result.study.engine; });
}

bool always(const study::Result& /*result*/) {
    return true;
}

}  // namespace

const std::vector<RunViewRow>& runViews() {
    static const std::vector<RunViewRow> kRows{
        {isOf<study::PartitionOutcome>, hasPlans, make<PartitionView>},
        {isOf<study::MappingOutcome>, hasMappings, make<MappingView>},
        {isOf<study::CodesignOutcome>, always, make<CodesignView>},
        {isOf<study::PredictionOutcome>, hasPredicted, make<PredictionView>},
        // Of any other engine: what its catalogue has.
        {always, hasCatalogue, make<CatalogueView>},
    };
    return kRows;
}

const RunViewRow* runViewOf(const study::Result& result) {
    const std::vector<RunViewRow>& rows = runViews();
    const auto found = std::find_if(rows.begin(), rows.end(), [&](const RunViewRow& row) { return row.isOf(result); });
    return found == rows.end() || !found->hasSome(result) ? nullptr : &*found;
}

}  // namespace tessera::ui
