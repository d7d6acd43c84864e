#include "core/model/readers/dimensions.h"

#include <fmt/format.h>

#include <vector>

#include "core/base/error.h"
#include "core/base/text.h"

namespace tessera::model {

void checkDimensions(const LoadOptions& options, const std::string& file, const std::set<std::string>& names) {
    if (options.batch && *options.batch < 1)
        throw UsageError(fmt::format("the batch is {}; expected at least 1", *options.batch));
    for (const auto& [name, value] : options.dimensions) {
        if (value < 1) throw UsageError(fmt::format("dimension {} is {}; expected at least 1", inQuotes(name), value));
        if (names.contains(name)) continue;
        constexpr std::size_t kMaxShown = 20;
        std::vector<std::string> shown;
        for (const std::string& known : names)
            if (shown.size() < kMaxShown) shown.push_back(inQuotes(known));
        throw UsageError(fmt::format(
            "{} has no dimension {}; {}", escaped(file), inQuotes(name),
            shown.empty() ? "all of its dimensions are fixed" : "its dimensions are " + joined(shown, ", ")));
    }
}

std::string notBound(const std::string& input, std::size_t axis, const std::string& symbol) {
    return fmt::format("dimension {} of input {} is the symbol {}, which is not bound; give --dim {}=N", axis,
                       inQuotes(input), inQuotes(symbol), escaped(symbol, 80));
}

}  // namespace tessera::model
