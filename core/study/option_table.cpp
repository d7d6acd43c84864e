#include "core/study/option_table.h"

namespace tessera::study {

Values&& Values::labelled(std::string_view label) && {
    parameter.label = label;
    return std::move(*this);
}

Values&& Values::ofLibrary(std::string_view folder) && {
    parameter.library = folder;
    return std::move(*this);
}

Values&& Values::forResearch() && {
    parameter.research = true;
    return std::move(*this);
}

Values&& Values::inWholes() && {
    parameter.inWholes = true;
    return std::move(*this);
}

Values&& Values::shapedAs(Json (*schema)()) && {
    parameter.schema = schema;
    return std::move(*this);
}

Values&& Values::byDefault(Json value) && {
    parameter.fallback = std::move(value);
    return std::move(*this);
}

std::size_t members::placeOf(const Parameter& parameter, const Json& word) {
    const auto found = std::find(parameter.words.begin(), parameter.words.end(), word.get_ref<const std::string&>());
    return static_cast<std::size_t>(found - parameter.words.begin());
}

}  // namespace tessera::study
