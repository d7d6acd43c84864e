#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/report/picture.h"
#include "core/report/table.h"
#include "core/study/result.h"
#include "core/study/study.h"

/// What can leave a result, by name: the same for `tessera export` and for menus.
namespace tessera::report {

using Picture = std::variant<Chart, HeatMap, study::Timeline>;

/// A row of the table of pictures. The first of an engine is its default. Most are made from the result alone; what is
/// solved anew for one is lent the hooks, and throws like study::run.
struct NamedPicture {
    std::string_view name;   ///< "types"
    std::string_view title;  ///< "Partition types by layer and split"
    Picture (*make)(const study::Result& result, const std::string& strategy, const study::RunHooks& hooks);
};
const std::vector<NamedPicture>& namedPictures();

struct NamedTable {
    std::string_view name;  ///< "layers"
    std::string_view title;
    Table (*make)(const study::Result& result, const std::string& strategy, const study::RunHooks& hooks);
};
const std::vector<NamedTable>& namedTables();

std::string toSvg(const Picture& picture, const Theme& theme);
std::string toCsv(const Picture& picture);

/// The strategy that pictures are of where none is named: the fastest. Throws UsageError where the result has no such
/// strategy.
std::string strategyOf(const study::Result& result, const std::string& wanted);

}  // namespace tessera::report
