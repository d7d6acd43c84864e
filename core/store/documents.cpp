#include "core/store/documents.h"

namespace tessera::store {

namespace {

constexpr double kSecond = 1000;  ///< in milliseconds

double seconds(std::int64_t milliseconds) {
    return static_cast<double>(milliseconds) / kSecond;
}

}  // namespace

Json toJson(const RunRow& row) {
    Json json = {{"run", row.id},        {"uid", row.uid},           {"name", row.name},      {"engine", row.engine},
                 {"models", row.models}, {"hardware", row.hardware}, {"study", row.studyHash}};
    if (row.seed) json["seed"] = *row.seed;
    json["status"] = nameOf(row.status);
    if (row.started) json["started_s"] = seconds(*row.started);
    if (row.finished) json["finished_s"] = seconds(*row.finished);
    json["worked_s"] = seconds(row.worked);
    if (row.imported) {
        json["imported_from"] = row.importedFrom;
        json["imported_s"] = seconds(*row.imported);
    }
    if (!row.damage.empty()) json["damage"] = row.damage;
    json["headline"] = row.headline;
    json["version"] = row.version;
    json["host"] = row.host;
    json["starred"] = row.starred;
    json["tags"] = row.tags;
    json["note"] = row.note;
    if (!row.metrics.empty()) {
        Json& metrics = json["metrics"] = Json::object();
        for (const auto& [name, value] : row.metrics) metrics[name] = value;
    }
    return json;
}

}  // namespace tessera::store
