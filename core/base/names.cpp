#include "core/base/names.h"

#include <fmt/format.h>

namespace tessera {

std::string unknownNameText(std::string_view start, std::string_view name, const std::vector<std::string>& known,
                            std::string_view besides) {
    const std::string_view hint = closest(name, known);
    return fmt::format("{} {}; {}", start, inQuotes(name),
                       hint.empty() ? fmt::format("expected one of {}{}", joined(known, ", "), besides)
                                    : fmt::format("did you mean {}?", inQuotes(hint)));
}

}  // namespace tessera
