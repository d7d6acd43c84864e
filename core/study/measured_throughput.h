#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/physical/measured_table.h"
#include "core/physical/training_run.h"
#include "core/physical/transformer.h"
#include "core/study/result.h"

namespace tessera::study {

/// A published throughput of training.
struct MeasuredThroughput {
    physical::TrainingRun run = {};  ///< what was measured, as its row says it
    double value = 0;                ///< in the unit of its metric
    double samplesPerSecond = 0;     ///< of all devices
    std::string source = {};         ///< key of the table of sources in data/measured/README.md
};

/// Returns the rows of a table with the columns of data/measured/training.csv that measure the training of the study's
/// model in its sizes on so many devices in this data type: throughputs, and seconds of steps whose batch is said. In
/// the order of the table. Only models of the zoo are measured: transformers are the same in the sizes of
/// `measuredTransformers`, others in all sizes that either says (what neither says has the zoo's default). Throws
/// DataError for cells that mean nothing.
std::vector<MeasuredThroughput> measuredThroughputs(const physical::MeasuredTable& table, const Study& study,
                                                    std::string_view accelerator, std::int64_t devices,
                                                    std::string_view dtype);

/// Returns the rows that measure the training of a transformer on an accelerator, on any number of it and in any data
/// type: of the same layers, widths, heads, experts and tokens of a sample, and of a vocabulary that differs by
/// padding alone. In the order of the table. Throws DataError.
std::vector<MeasuredThroughput> measuredTransformers(const physical::MeasuredTable& table,
                                                     const physical::Transformer& model, std::string_view accelerator);

/// The bundled measurements of training, the file `measured/training.csv` of the first data folder that has one; read
/// once. Empty where it is missing or cannot be read: pictures then have no marks of it.
const physical::MeasuredTable& bundledTraining();

}  // namespace tessera::study
