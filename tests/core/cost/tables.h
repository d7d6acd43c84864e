#pragma once

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/base/file.h"
#include "core/cost/dataflow.h"
#include "core/model/readers/text_table.h"

namespace tessera::cost::tables {

/// A row of a table of known costs, by the names of its columns.
using KnownRow = std::map<std::string, std::string>;

inline std::vector<KnownRow> knownRows(const std::filesystem::path& path) {
    const std::string bytes = readFile(path);
    model::TextTable table(bytes, path.string());
    model::Row header;
    table.next(header);
    std::vector<KnownRow> rows;
    for (model::Row row; table.next(row);) {
        KnownRow& known = rows.emplace_back();
        for (std::size_t i = 0; i < row.cells.size(); ++i) known[header.cells[i].text] = row.cells[i].text;
    }
    return rows;
}

inline std::int64_t number(const KnownRow& row, const std::string& key) {
    return std::strtoll(row.at(key).c_str(), nullptr, 10);
}

inline Layer layerOfRow(const KnownRow& row) {
    std::array<std::int64_t, 6> sizes{};
    for (std::size_t i = 0; i < sizes.size(); ++i) sizes[i] = number(row, fmt::format("d{}", i));
    return layerOfJob(number(row, "type_id"), sizes).value();
}

inline Array arrayOfRow(const KnownRow& row) {
    Array array{.pes = number(row, "num_pe")};
    if (row.contains("cluster_size")) array.clusterSize = number(row, "cluster_size");
    if (row.contains("noc_bw")) array.nocBandwidth = number(row, "noc_bw");
    if (row.contains("noc_hops")) array.nocHops = number(row, "noc_hops");
    if (row.contains("noc_hop_latency")) array.nocHopLatency = number(row, "noc_hop_latency");
    if (row.contains("offchip_bw")) array.offchipBandwidth = number(row, "offchip_bw");
    if (row.contains("simd_lanes")) array.simdLanes = number(row, "simd_lanes");
    return array;
}

}  // namespace tessera::cost::tables
