#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/physical/measured_table.h"
#include "core/study/result.h"

namespace tessera::study {

/// A published throughput of training.
struct MeasuredThroughput {
    double samplesPerSecond = 0;  ///< of all devices
    std::string accelerator = {};
    std::int64_t devices = 1;
    std::string dtype = {};
    double globalBatch = 0;     ///< samples per step of all devices; 0: not said
    std::string software = {};  ///< in the words of its source
    std::string source = {};    ///< key of the table of sources in data/measured/README.md
    std::string id = {};        ///< of its row
};

/// Returns the rows of a table with the columns of data/measured/training.csv that measure the training of the study's
/// model in its sizes (what neither says has the zoo's default) on so many devices in this data type: throughputs, and
/// seconds of steps whose batch is said. In the order of the table. Only models of the zoo are measured. Throws
/// DataError for cells that mean nothing.
std::vector<MeasuredThroughput> measuredThroughputs(const physical::MeasuredTable& table, const Study& study,
                                                    std::string_view accelerator, std::int64_t devices,
                                                    std::string_view dtype);

/// The bundled measurements of training, the file `measured/training.csv` of the first data folder that has one; read
/// once. Empty where it is missing or cannot be read: pictures then have no marks of it.
const physical::MeasuredTable& bundledTraining();

}  // namespace tessera::study
