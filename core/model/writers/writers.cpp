#include "core/model/writers/writers.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/text.h"

namespace tessera::model {

const std::vector<Writer>& writers() {
    static const std::vector<Writer> kWriters{
        {"json", "Tessera's own JSON, without loss", ".json", writeJson},
        {"layers-csv", "Table of layers", ".csv", writeLayersCsv},
        {"dot", "Graphviz text", ".dot", writeDot},
        {"svg", "Picture of the graph", ".svg", writeSvg},
        {"maestro-csv", "MAESTRO layer table", ".csv", writeMaestroCsv},
        {"m3e-csv", "M3E job table", ".csv", writeM3eCsv},
        {"scalesim-csv", "SCALE-Sim topology", ".csv", writeScaleSimCsv},
    };
    return kWriters;
}

const Writer& writerNamed(const std::string& id) {
    std::vector<std::string> known;
    for (const Writer& writer : writers()) {
        if (writer.id == id) return writer;
        known.emplace_back(writer.id);
    }
    const std::string_view hint = closest(id, known);
    throw UsageError(
        fmt::format("there is no format {}; {}", inQuotes(id),
                    hint.empty() ? "known are " + joined(known, ", ") : fmt::format("'{}' perhaps", hint)));
}

}  // namespace tessera::model
