#pragma once

#include <string>
#include <vector>

#include "core/base/json.h"

namespace tessera::ui {

/// The way to a value inside a document: keys of objects, and positions in lists as decimal digits.
using JsonPath = std::vector<std::string>;

/// "placement.policy" as a path; keys that hold dots themselves cannot be written this way.
JsonPath pathOf(const std::string& keys);
JsonPath joinedPath(JsonPath base, const JsonPath& below);

/// The value, or nullptr where there is none.
const Json* valueAt(const Json& root, const JsonPath& path);
/// Sets the value; objects on the way are made where they are missing. Nothing happens where the way is blocked by a
/// value that is neither an object nor a list that is long enough.
void setValue(Json& root, const JsonPath& path, Json value);
/// Takes the value away, and the objects around it that became empty.
void eraseValue(Json& root, const JsonPath& path);
/// Another name for the member of an object, at its old place.
void renameMember(Json& object, const std::string& from, const std::string& to);

/// The path as the readers' errors write it: "groups[1].count". `root` distinguishes positions from keys.
std::string dottedPath(const Json& root, const JsonPath& path);
/// The opposite: the longest beginning of `dotted` that the document has, as a path.
JsonPath pathFromDotted(const Json& root, const std::string& dotted);

/// A number that stands alone or as {"value": …, "source": …, "class": …}: what stands for the number.
const Json& plainValue(const Json& value);
/// True where the value is the long form of a number.
bool isSourced(const Json& value);
/// Whole numbers without a fraction, as the program writes them.
Json numberValue(double value);

}  // namespace tessera::ui
