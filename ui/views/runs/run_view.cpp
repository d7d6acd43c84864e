#include "ui/views/runs/run_view.h"

#include <algorithm>
#include <variant>

#include "core/study/codesign/outcome.h"
#include "core/study/mapping/outcome.h"
#include "core/study/partition/outcome.h"
#include "core/study/prediction/outcome.h"
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

bool hasPlans(const study::Result& result) {
    const auto* outcome = result.outcome.as<study::PartitionOutcome>();
    return outcome != nullptr && !outcome->result.plans.empty();
}

bool hasMappings(const study::Result& result) {
    const auto* outcome = result.outcome.as<study::MappingOutcome>();
    return outcome != nullptr && !outcome->result.runs.empty();
}

bool hasSearched(const study::Result& result) {
    return result.outcome.as<study::CodesignOutcome>() != nullptr;
}

bool hasPredicted(const study::Result& result) {
    const auto* outcome = result.outcome.as<study::PredictionOutcome>();
    return outcome != nullptr && !outcome->predictions.empty();
}

}  // namespace

const std::vector<RunViewRow>& runViews() {
    static const std::vector<RunViewRow> kRows{{hasPlans, make<PartitionView>},
                                               {hasMappings, make<MappingView>},
                                               {hasSearched, make<CodesignView>},
                                               {hasPredicted, make<PredictionView>}};
    return kRows;
}

const RunViewRow* runViewOf(const study::Result& result) {
    const std::vector<RunViewRow>& rows = runViews();
    const auto found = std::find_if(rows.begin(), rows.end(), [&](const RunViewRow& row) { return row.shows(result); });
    return found == rows.end() ? nullptr : &*found;
}

}  // namespace tessera::ui
