#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/base/quantity.h"
#include "core/base/schema.h"
#include "core/hardware/numbers.h"

namespace tessera::hardware {

struct Kind;

/// Training data of a model (`tessera.dataset/1`): size of a sample, and time to load and prepare one on a reference
/// machine.
struct Dataset {
    std::string id;    ///< the file's stem
    std::string file;  ///< where it was read from, for errors
    std::string name;
    std::optional<double> samples;
    Bytes sampleBytes;
    std::optional<Seconds> load;                  ///< `load_s` of one sample on the reference
    std::optional<Seconds> prepare;               ///< `prepare_s` of one sample on the reference
    std::string reference;                        ///< the machine's name; empty where there is none
    std::optional<BytesPerSecond> hostBandwidth;  ///< of the reference
    std::optional<FlopsPerSecond> hostPeak;       ///< of the reference
    ProvenanceMap provenance;

    bool operator==(const Dataset&) const = default;
};

/// The table of its fields.
const Kind& datasetKind();
/// Throws DataError.
Dataset readDataset(const JsonNode& node);
/// The document that reads back as the same dataset.
Json toJson(const Dataset& dataset);

/// A file path, else a name of the library. Throws FileError, DataError, UsageError (unknown, with a hint).
Dataset loadDataset(const std::string& nameOrPath);
std::string datasetPath(const std::string& nameOrPath);  ///< of the file that it reads

}  // namespace tessera::hardware
