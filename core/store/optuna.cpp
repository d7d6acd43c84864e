#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "core/store/implementation.h"

/// The storage of Optuna (https://optuna.org), as its versions 3.2 to 4 make it for SQLite.
namespace tessera::store {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kTables = R"sql(
CREATE TABLE studies(
    study_id INTEGER NOT NULL, study_name VARCHAR(512) NOT NULL, PRIMARY KEY(study_id));
CREATE UNIQUE INDEX ix_studies_study_name ON studies(study_name);
CREATE TABLE version_info(
    version_info_id INTEGER NOT NULL, schema_version INTEGER, library_version VARCHAR(256),
    PRIMARY KEY(version_info_id), CHECK(version_info_id = 1));
CREATE TABLE study_directions(
    study_direction_id INTEGER NOT NULL, direction VARCHAR(8) NOT NULL, study_id INTEGER NOT NULL,
    objective INTEGER NOT NULL,
    PRIMARY KEY(study_direction_id), UNIQUE(study_id, objective), FOREIGN KEY(study_id) REFERENCES studies(study_id));
CREATE TABLE study_user_attributes(
    study_user_attribute_id INTEGER NOT NULL, study_id INTEGER, "key" VARCHAR(512), value_json TEXT,
    PRIMARY KEY(study_user_attribute_id), UNIQUE(study_id, "key"), FOREIGN KEY(study_id) REFERENCES studies(study_id));
CREATE TABLE study_system_attributes(
    study_system_attribute_id INTEGER NOT NULL, study_id INTEGER, "key" VARCHAR(512), value_json TEXT,
    PRIMARY KEY(study_system_attribute_id), UNIQUE(study_id, "key"), FOREIGN KEY(study_id) REFERENCES studies(study_id));
CREATE TABLE trials(
    trial_id INTEGER NOT NULL, number INTEGER, study_id INTEGER, state VARCHAR(8) NOT NULL, datetime_start DATETIME,
    datetime_complete DATETIME,
    PRIMARY KEY(trial_id), FOREIGN KEY(study_id) REFERENCES studies(study_id));
CREATE INDEX ix_trials_study_id ON trials(study_id);
CREATE TABLE trial_user_attributes(
    trial_user_attribute_id INTEGER NOT NULL, trial_id INTEGER, "key" VARCHAR(512), value_json TEXT,
    PRIMARY KEY(trial_user_attribute_id), UNIQUE(trial_id, "key"), FOREIGN KEY(trial_id) REFERENCES trials(trial_id));
CREATE TABLE trial_system_attributes(
    trial_system_attribute_id INTEGER NOT NULL, trial_id INTEGER, "key" VARCHAR(512), value_json TEXT,
    PRIMARY KEY(trial_system_attribute_id), UNIQUE(trial_id, "key"), FOREIGN KEY(trial_id) REFERENCES trials(trial_id));
CREATE TABLE trial_params(
    param_id INTEGER NOT NULL, trial_id INTEGER, param_name VARCHAR(512), param_value FLOAT, distribution_json TEXT,
    PRIMARY KEY(param_id), UNIQUE(trial_id, param_name), FOREIGN KEY(trial_id) REFERENCES trials(trial_id));
CREATE TABLE trial_values(
    trial_value_id INTEGER NOT NULL, trial_id INTEGER NOT NULL, objective INTEGER NOT NULL, value FLOAT,
    value_type VARCHAR(7) NOT NULL,
    PRIMARY KEY(trial_value_id), UNIQUE(trial_id, objective), FOREIGN KEY(trial_id) REFERENCES trials(trial_id));
CREATE TABLE trial_intermediate_values(
    trial_intermediate_value_id INTEGER NOT NULL, trial_id INTEGER NOT NULL, step INTEGER NOT NULL,
    intermediate_value FLOAT, intermediate_value_type VARCHAR(7) NOT NULL,
    PRIMARY KEY(trial_intermediate_value_id), UNIQUE(trial_id, step), FOREIGN KEY(trial_id) REFERENCES trials(trial_id));
CREATE TABLE trial_heartbeats(
    trial_heartbeat_id INTEGER NOT NULL, trial_id INTEGER NOT NULL,
    heartbeat DATETIME NOT NULL,
    PRIMARY KEY(trial_heartbeat_id), UNIQUE(trial_id), FOREIGN KEY(trial_id) REFERENCES trials(trial_id));
CREATE TABLE alembic_version(
    version_num VARCHAR(32) NOT NULL, CONSTRAINT alembic_version_pkc PRIMARY KEY(version_num));
INSERT INTO version_info VALUES(1, 12, '3.2.0');
INSERT INTO alembic_version VALUES('v3.2.0.a');
)sql";

constexpr int kStudy = 1;

/// The points of a run in the order in which they were written.
std::vector<TracePoint> pointsOf(const SQLite::Database& database, RunId run) {
    std::vector<TracePoint> points;
    Query query(database, "SELECT series, points FROM trace WHERE run = ? ORDER BY id", run);
    while (query.next()) {
        const std::string series = query.text(0);
        const std::string_view bytes = query.bytes(1);
        constexpr std::size_t kPointBytes = 2 * sizeof(double);
        for (std::size_t at = 0; at + kPointBytes <= bytes.size(); at += kPointBytes) {
            TracePoint point{series};
            std::memcpy(&point.x, bytes.data() + at, sizeof(double));
            std::memcpy(&point.y, bytes.data() + at + sizeof(double), sizeof(double));
            points.push_back(std::move(point));
        }
    }
    return points;
}

/// What Optuna is to know of the parameters of its trials: the curve and the place on it.
struct Distributions {
    std::vector<std::string> series;
    std::string seriesJson, placeJson;
};

Distributions distributionsOf(const std::vector<TracePoint>& points) {
    std::set<std::string> names;
    double low = 0;
    double high = 0;
    for (const TracePoint& point : points) {
        names.insert(point.series);
        if (!std::isfinite(point.x)) continue;
        low = std::min(low, point.x);
        high = std::max(high, point.x);
    }
    Distributions found;
    found.series.assign(names.begin(), names.end());
    const auto text = [](const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); };
    found.seriesJson = text({{"name", "CategoricalDistribution"}, {"attributes", {{"choices", found.series}}}});
    found.placeJson = text({{"name", "FloatDistribution"},
                            {"attributes", {{"step", nullptr}, {"low", low}, {"high", high}, {"log", false}}}});
    return found;
}

/// Infinite values have a word instead of a number.
const char* typeOf(double value) {
    if (std::isfinite(value)) return "FINITE";
    return value > 0 ? "INF_POS" : "INF_NEG";
}

void writeTrials(const SQLite::Database& target, const std::vector<TracePoint>& points, std::int64_t from,
                 std::int64_t to) {
    const Distributions known = distributionsOf(points);
    Query trial(target,
                "INSERT INTO trials SELECT ?1, ?1 - 1, ?2, ?3, at, at FROM "
                "(SELECT strftime('%Y-%m-%d %H:%M:%f', ?4 / 1000.0, 'unixepoch') || '000' AS at)");
    Query value(target, "INSERT INTO trial_values(trial_id, objective, value, value_type) VALUES(?, 0, ?, ?)");
    Query parameter(
        target, "INSERT INTO trial_params(trial_id, param_name, param_value, distribution_json) VALUES(?, ?, ?, ?)");
    std::int64_t number = 0;
    for (const TracePoint& point : points) {
        const double share = static_cast<double>(number) / static_cast<double>(points.size());
        ++number;
        const bool failed = std::isnan(point.y);
        trial.rebind(number, kStudy, failed ? "FAIL" : "COMPLETE",
                     static_cast<double>(from) + share * static_cast<double>(to - from));
        trial.changed();
        const auto series = std::lower_bound(known.series.begin(), known.series.end(), point.series);
        parameter.rebind(number, "series", series - known.series.begin(), known.seriesJson).changed();
        if (std::isfinite(point.x)) parameter.rebind(number, "x", point.x, known.placeJson).changed();
        if (failed) continue;
        std::optional<double> finite;
        if (std::isfinite(point.y)) finite = point.y;
        value.rebind(number, finite, typeOf(point.y)).changed();
    }
}

}  // namespace

void Store::exportOptuna(RunId run, const fs::path& to) const {
    const std::optional<RunRow> row = this->run(run);
    if (!row) throw UsageError(fmt::format("there is no run {} in the history", run));
    const study::Study of = study(run);
    const std::vector<study::Metric> found = metrics(run);
    const std::vector<TracePoint> points = implementation_->read([&](const SQLite::Database& database) {
        requireSound(database, path(), run, {Part::trace});
        return pointsOf(database, run);
    });
    NewDatabase file(to, path());
    file.write([&](SQLite::Database& target) {
        SQLite::Transaction transaction(target);
        target.exec(std::string(kTables));
        execute(target, "INSERT INTO studies VALUES(?, ?)", kStudy,
                fmt::format("{} (run {})", row->name.empty() ? row->engine : row->name.substr(0, 256), row->uid));
        execute(target, "INSERT INTO study_directions(direction, study_id, objective) VALUES('MINIMIZE', ?, 0)",
                kStudy);
        const auto attribute = [&](const std::string& key, const Json& value) {
            execute(target, "INSERT OR IGNORE INTO study_user_attributes(study_id, key, value_json) VALUES(?, ?, ?)",
                    kStudy, key, value.dump(-1, ' ', false, Json::error_handler_t::replace));
        };
        attribute("tessera:headline", row->headline);
        attribute("tessera:study", study::toJson(of));
        for (const study::Metric& metric : found)
            if (std::isfinite(metric.value)) attribute(metric.name, metric.value);
        const std::int64_t from = row->started.value_or(0);
        writeTrials(target, points, from, row->finished.value_or(from));
        transaction.commit();
    });
}

}  // namespace tessera::store
