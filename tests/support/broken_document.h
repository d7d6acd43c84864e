#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/study/result.h"

namespace tessera::test {

/// Every path to a value of a document, of lists the first two entries.
inline void pathsOf(const Json& value, const Json::json_pointer& at, std::vector<Json::json_pointer>& paths) {
    if (!at.empty()) paths.push_back(at);
    if (value.is_object())
        for (const auto& [key, child] : value.items()) pathsOf(child, at / key, paths);
    if (value.is_array())
        for (std::size_t i = 0; i < std::min<std::size_t>(value.size(), 2); ++i) pathsOf(value[i], at / i, paths);
}

/// Reads the document of a result with every value missing or replaced by what it cannot be: each is read, or refused
/// by one sentence that names the file. `told` counts what was refused.
inline std::size_t refusedWhenBroken(const study::Result& result) {
    const Json whole = study::toJson(result);
    std::vector<Json::json_pointer> paths;
    pathsOf(whole, Json::json_pointer(), paths);
    std::size_t refused = 0;
    const auto read = [&](const Json& document, const std::string& what) {
        try {
            study::toJson(study::readResult(JsonDocument::parse(toText(document), "run.json").root(), result.study));
        } catch (const DataError& error) {
            ++refused;
            EXPECT_TRUE(std::string(error.what()).starts_with("run.json")) << what << ": " << error.what();
        }
    };
    const std::vector<Json> values{
        nullptr, -1, 1e300, 0.5, "", "x\n,\"", Json::array(), Json::object(), Json::array({nullptr}), true};
    for (const Json::json_pointer& path : paths) {
        for (const Json& value : values) {
            Json broken = whole;
            broken[path] = value;
            read(broken, path.to_string() + " = " + value.dump());
        }
        Json without = whole;
        Json& parent = without[path.parent_pointer()];
        if (parent.is_object()) {
            parent.erase(path.back());
            read(without, path.to_string() + " is missing");
        }
    }
    return refused;
}

}  // namespace tessera::test
