#pragma once

#include <string>
#include <vector>

#include "core/base/timeline.h"
#include "core/codesign/search/search.h"
#include "core/draw/drawing.h"
#include "core/draw/picture.h"
#include "core/draw/table.h"
#include "core/study/codesign/fields.h"
#include "core/study/title.h"

/// The pictures and tables of a co-design result, the same in the window, on the command line and in reports; the
/// architectures themselves are in codesign_points.h.
namespace tessera::report {

using study::memorySize;
using study::modelTitle;

/// Progress of the search from large to small areas: the best of each bucket of areas and the best so far (PHAZE, Fig.
/// 9), by the buckets' order or by their area.
Chart explorationChart(const codesign::Result& result, bool byArea);

/// The operators of the layer that most of the model's time goes to, on the cores of one accelerator.
Timeline operatorTimeline(const codesign::ModelResult& model, bool backward);
/// "4 % shorter than one operator after the other, proven optimal".
std::string scheduleSentence(const codesign::PhaseSchedule& phase);

/// Placement of a model on the accelerators: its stages with their layers, replicas, load, and memory against the HBM.
Drawing placementDrawing(const codesign::ModelResult& model, double width, const TextWidth& measure);

/// Parts of the time of a batch: a model on the chosen architecture and on the baselines.
Chart timeChart(const codesign::Result& result, std::size_t model);
/// Parts of the time of a batch of all models on the chosen architecture, as shares.
Chart timeShareChart(const codesign::Result& result);
/// Memory of an accelerator of each stage by use, against its HBM.
Chart stageMemoryChart(const codesign::ModelResult& model);
/// Area of the chosen architecture and of the baselines by part, in mm².
Chart areaPartsChart(const codesign::Result& result);
/// Throughput of every model over the reference's, with the expert's placement and with ours.
Chart referenceSpeedupChart(const codesign::Result& result);

/// Tables of full precision for spreadsheets: a row per model, also on the baselines; a row per stage.
Table exactModelTable(const codesign::Result& result);
Table exactStageTable(const codesign::Result& result);
Table exactTraceTable(const codesign::Result& result);

}  // namespace tessera::report
