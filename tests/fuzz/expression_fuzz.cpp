// Expressions of derived variables: whatever the bytes, a value of the same bits each time, or a DataError of one line.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/explore/expression.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace tessera;
    const std::string text(reinterpret_cast<const char*>(data), size);
    const std::vector<std::string> names{"base", "x", "levels[1].rate"};
    try {
        const explore::Expression expression(text, names, {.file = "study.json"});
        const std::vector<double> values{0.1, -3, 1e300};
        const double one = expression.at(values), other = explore::Expression(expression.text(), names).at(values);
        if (one != other && !(std::isnan(one) && std::isnan(other))) std::abort();
        for (const std::size_t name : expression.uses())
            if (name >= names.size()) std::abort();
    } catch (const DataError& error) {
        if (std::string_view(error.what()).find('\n') != std::string_view::npos) std::abort();
    }
    return 0;
}
