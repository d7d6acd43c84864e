#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/hardware/field.h"

namespace tessera::hardware {

/// Where a field of a hardware document stands that holds a value by itself: a number, a text, a flag, a range.
struct FieldPlace {
    /// A member's key, or an entry of a list with the name that it has.
    struct Step {
        std::string key = {};   ///< empty of an entry
        std::size_t entry = 0;  ///< its number
        std::string name = {};  ///< of an entry that has one
    };
    std::string path;              ///< "groups[0].levels[1].bandwidth_bytes_per_s"
    std::string label;             ///< "NVLink bandwidth"
    const Field* row = nullptr;    ///< of the kind's table
    std::vector<Step> steps = {};  ///< from the document's root
    Json value = {};               ///< without where it comes from; null where the field is left out
};

/// Every such field of a document that can be read, those that are left out, too: in the order of the kind's table.
std::vector<FieldPlace> fieldPlaces(const Kind& kind, const Json& document);
/// True if a path means that place. An entry of a list may be named by its number or its name:
/// "groups[0].levels[NVLink].bandwidth_bytes_per_s".
bool isAt(const FieldPlace& place, std::string_view path);
/// The value of that place in a document, which is made where it is left out.
Json& valueAt(Json& document, const FieldPlace& place);

}  // namespace tessera::hardware
