#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/draw/picture.h"
#include "core/draw/table.h"
#include "core/study/result.h"
#include "core/study/study.h"

/// What can leave a result, by name: the same for `tessera export` and for menus.
namespace tessera::report {

using Picture = std::variant<Chart, HeatMap, Timeline>;

/// A row of the table of pictures. The first of an engine is its default. Most are made from the result alone; what is
/// solved anew for one is lent the hooks, and throws like study::run.
struct NamedPicture {
    std::string_view name;   ///< "types"
    std::string_view title;  ///< "Partition types by layer and split"
    Picture (*make)(const study::Result& result, const std::string& strategy, const study::RunHooks& hooks);
    std::string_view engine = "partition";  ///< whose results have it; empty = all
};
const std::vector<NamedPicture>& namedPictures();
/// Of the results of one engine.
std::vector<NamedPicture> namedPictures(std::string_view engine);

struct NamedTable {
    std::string_view name;  ///< "layers"
    std::string_view title;
    Table (*make)(const study::Result& result, const std::string& strategy, const study::RunHooks& hooks);
    std::string_view engine = "partition";  ///< whose results have it; empty = all
};
const std::vector<NamedTable>& namedTables();
std::vector<NamedTable> namedTables(std::string_view engine);

std::string toSvg(const Picture& picture, const Theme& theme);
std::string toCsv(const Picture& picture);

/// The strategy, algorithm or prediction ("bow@8") that pictures are of where none is named: the best. Throws
/// UsageError where the result has no such one.
std::string strategyOf(const study::Result& result, const std::string& wanted);

}  // namespace tessera::report
