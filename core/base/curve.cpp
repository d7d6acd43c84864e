#include "core/base/curve.h"

namespace tessera {

namespace {

constexpr std::string_view kColon = ": ";

/// Takes the word of a role from the end of a text.
CurveRole roleTaken(std::string_view& text) {
    const std::size_t space = text.rfind(' ');
    const std::size_t begin = space == std::string_view::npos ? 0 : space + 1;
    const CurveRole role = kCurveRoleNames.named(text.substr(begin)).value_or(CurveRole::value);
    if (role != CurveRole::value) text = text.substr(0, begin == 0 ? 0 : space);
    return role;
}

}  // namespace

std::string toText(const CurveName& name) {
    std::string text = name.owner;
    if (!name.quantity.empty()) text.append(kColon).append(name.quantity);
    const std::string_view role = kCurveRoleNames.of(name.role);
    if (!text.empty() && !role.empty()) text += ' ';
    return text.append(role);
}

CurveName curveNamed(std::string_view text) {
    CurveName name;
    const std::size_t colon = text.find(kColon);
    const bool hasQuantity = colon != std::string_view::npos;
    if (hasQuantity) {
        name.owner = text.substr(0, colon);
        text.remove_prefix(colon + kColon.size());
    }
    name.role = roleTaken(text);
    (hasQuantity ? name.quantity : name.owner) = text;
    // Histories of earlier versions hold the proven bounds of a step time as "accpar: bound".
    if (hasQuantity && text.empty() && name.role == CurveRole::bound) name.quantity = "step time";
    return name;
}

}  // namespace tessera
