#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/physical/measured_table.h"

namespace tessera::physical {

/// Measurements of a file of any format, as a table of Tessera's own columns: of kernels (kernel, shape, dtype,
/// seconds) or of collectives (system, operation, accelerators, per_node, bytes, seconds), each row with the line that
/// it stands in (of a trace: the number of its event).
struct ReadMeasurements {
    MeasuredTable table;
    std::string_view format = {};   ///< the id of its reader
    std::size_t skipped = 0;        ///< measurements that are no kernels or collectives that are known
    std::string firstSkipped = {};  ///< a sentence on the first of them
};

/// A format that measurements are published in, or that a tool writes.
struct MeasurementReader {
    std::string_view id;     ///< "aiconfigurator"
    std::string_view title;  ///< for people
    bool (*knows)(std::string_view bytes);
    /// Throws DataError for what is broken; what is no measurement that is known is counted.
    ReadMeasurements (*read)(std::string_view bytes, const std::string& file);
};

/// All of them; the first that knows a file reads it. Tessera's own tables are last and take everything.
const std::vector<MeasurementReader>& measurementReaders();
/// Another format, asked before the others; for tests, and before the first file is read.
void addMeasurementReader(const MeasurementReader& reader);

/// The endings of names that mean files of measurements.
const std::vector<std::string_view>& measurementSuffixes();

/// Reads a file by its contents, whatever its name. Throws DataError.
ReadMeasurements readMeasurements(std::string_view bytes, const std::string& file);

/// A sentence on the measurements that were left out; empty where there are none.
std::string skippedText(const ReadMeasurements& read);

}  // namespace tessera::physical
