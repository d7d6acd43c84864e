#include "core/model/writers/writers.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/names.h"
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
    return rowNamed(writers(), id, "there is no format");
}

}  // namespace tessera::model
