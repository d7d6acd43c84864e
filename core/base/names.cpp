#include "core/base/names.h"

#include <fmt/format.h>

namespace tessera {

std::string unknownNameText(std::string_view start, std::string_view name, const std::vector<std::string>& known,
                            std::string_view besides) {
    return fmt::format("{} {}; {}", start, inQuotes(name),
                       withClosest("did you mean {}?", name, known,
                                   fmt::format("expected one of {}{}", joined(known, ", "), besides)));
}

}  // namespace tessera
