#include "core/study/schema_library.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/hardware/library.h"

namespace tessera::study {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSuffix = ".schema.json";
constexpr const char* kDefinitions = "definitions";

/// The files of all schemas by kind.
std::map<std::string, fs::path> schemaFiles() {
    std::map<std::string, fs::path> files;
    for (const fs::path& folder : hardware::bundledFolders()) {
        std::error_code error;
        for (const auto& entry : fs::directory_iterator(folder / "schemas", error))
            if (const std::string name = entry.path().filename().string(); name.ends_with(kSuffix))
                files.emplace(name.substr(0, name.size() - kSuffix.size()), entry.path());
    }
    return files;
}

Json loaded(const fs::path& file) {
    return JsonDocument::load(file.string()).json();
}

/// "tessera.fleet/2", as the schema says it.
std::string schemaNamed(const Json& schema) {
    const Json& named = schema.value("/properties/schema/const"_json_pointer, Json(schema.value("title", "")));
    const std::string name = named.get<std::string>();
    return name.starts_with("tessera.") ? name : "";
}

std::string firstSentence(const std::string& text) {
    const std::size_t stop = text.find(". ");
    return stop == std::string::npos ? text : text.substr(0, stop + 1);
}

/// Makes one document of a schema and those that it refers to: each other one becomes a definition, and references
/// point to it there.
class Joiner {
public:
    explicit Joiner(std::map<std::string, fs::path> files) : files_(std::move(files)) {}

    Json join(const std::string& kind) {
        Json whole = loaded(files_.at(kind));
        redirect(whole, "", kind);
        while (!waiting_.empty()) {
            const std::string other = waiting_.back();
            waiting_.pop_back();
            Json part = loaded(files_.at(other));
            for (const char* own : {"$schema", "$id"}) part.erase(own);  // of a document
            redirect(part, placeOf(other), other);
            whole[kDefinitions][fileNameOf(other)] = std::move(part);
        }
        return whole;
    }

private:
    static std::string fileNameOf(const std::string& kind) { return kind + std::string(kSuffix); }
    static std::string placeOf(const std::string& kind) {
        return fmt::format("/{}/{}", kDefinitions, fileNameOf(kind));
    }

    /// Lets the references of a schema, which stands at `place`, point into the whole.
    void redirect(Json& schema, const std::string& place, const std::string& kind) {
        if (schema.is_object())
            for (const auto& [key, value] : schema.items()) {
                if (key == "$ref" && value.is_string())
                    value = target(value.get<std::string>(), place, kind);
                else
                    redirect(value, place, kind);
            }
        if (schema.is_array())
            for (Json& each : schema) redirect(each, place, kind);
    }

    std::string target(const std::string& reference, const std::string& place, const std::string& kind) {
        const std::size_t mark = std::min(reference.find('#'), reference.size());
        const std::string inside = mark == reference.size() ? "" : reference.substr(mark + 1);
        const std::string file = reference.substr(0, mark);
        if (file.empty()) return "#" + place + inside;
        const std::string other = file.substr(0, file.size() - kSuffix.size());
        if (other == kind) return "#" + place + inside;
        if (std::find(joined_.begin(), joined_.end(), other) == joined_.end()) {
            joined_.push_back(other);
            waiting_.push_back(other);
        }
        return "#" + placeOf(other) + inside;
    }

    std::map<std::string, fs::path> files_;
    std::vector<std::string> joined_, waiting_;
};

}  // namespace

std::vector<SchemaKind> schemaKinds() {
    std::vector<SchemaKind> kinds;
    for (const auto& [id, file] : schemaFiles()) {
        const Json schema = loaded(file);
        kinds.push_back({id, schemaNamed(schema), firstSentence(schema.value("description", ""))});
    }
    return kinds;
}

Json schemaOf(const std::string& kind) {
    std::map<std::string, fs::path> files = schemaFiles();
    if (files.contains(kind)) return Joiner(files).join(kind);
    std::vector<std::string> known;
    for (const SchemaKind& each : schemaKinds()) {
        if (kind == each.schema || (!each.schema.empty() && kind == each.schema.substr(0, each.schema.find('/'))))
            return Joiner(files).join(each.id);
        known.push_back(each.id);
    }
    throw UsageError(fmt::format("there is no kind of document {}; {}", inQuotes(kind),
                                 withClosest("did you mean {}?", kind, known, "'tessera schema' lists them all")));
}

}  // namespace tessera::study
