#include "core/study/measured_validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/names.h"
#include "core/base/sha256.h"
#include "core/base/text.h"
#include "core/hardware/library.h"
#include "core/physical/readers/readers.h"
#include "core/physical/utilisation.h"
#include "core/study/shared_validation.h"

namespace tessera::study {

namespace fs = std::filesystem;

namespace {

/// What is read before anything is predicted.
struct MeasuredFiles {
    std::vector<physical::JudgedTable> tables;
    std::vector<physical::PeerErrors> peers;
    std::map<std::string, Input> inputs;  ///< by the file of the table
    std::set<fs::path> peersRead;
    std::vector<std::string> leftOut = {};  ///< what of the files is no measurement that is known
};

physical::MeasuredTable readMeasuredFile(MeasuredFiles& files, const fs::path& path, const std::string& name) {
    const std::string bytes = readFile(path, physical::kLargestMeasuredTable);
    files.inputs[path.string()] = {name, sha256(bytes)};
    physical::ReadMeasurements read = physical::readMeasurements(bytes, path.string());
    if (std::string sentence = physical::skippedText(read); !sentence.empty())
        files.leftOut.push_back(std::move(sentence));
    return std::move(read.table);
}

/// Adds the peers of a folder's tables, once.
void addPeersOf(MeasuredFiles& files, const fs::path& folder) {
    const fs::path path = folder / "baselines.csv";
    if (!files.peersRead.insert(path.lexically_normal()).second || !isFile(path)) return;
    const std::string bytes = readFile(path, physical::kLargestMeasuredTable);
    std::ranges::move(physical::readPeers(physical::readMeasuredTable(bytes, path.string())),
                      std::back_inserter(files.peers));
}

void addMeasuredFile(MeasuredFiles& files, const fs::path& path, const std::string& name,
                     const std::vector<std::string>& sets = {}) {
    if (files.inputs.contains(path.string())) return;
    files.tables.push_back({readMeasuredFile(files, path, name), sets});
}

void addMeasuredFolder(MeasuredFiles& files, const std::string& folder) {
    const std::vector<fs::path> paths = physical::measuredTablesIn(folder);
    if (paths.empty())
        throw UsageError(fmt::format("the folder {} has no measured tables; expected files *.csv", inQuotes(folder)));
    for (const fs::path& path : paths) addMeasuredFile(files, path, path.string());
    addPeersOf(files, folder);
}

/// The bundled tables by their names; the first data folder that has one wins.
void addBundledFiles(MeasuredFiles& files, const std::vector<std::string>& sets) {
    std::map<std::string, fs::path> bundled;
    for (const fs::path& data : hardware::dataFolders())
        for (const fs::path& path : physical::measuredTablesIn(data / "measured"))
            bundled.emplace(path.lexically_relative(data).generic_string(), path);
    for (const auto& [name, path] : bundled) addMeasuredFile(files, path, name, sets);
    for (const fs::path& data : hardware::dataFolders())
        if (isFile(data / "measured" / "baselines.csv")) return addPeersOf(files, data / "measured");
}

bool isMeasuredFolder(const std::string& name) {
    std::error_code error;
    return findRow(physical::predictors(), name) == nullptr && fs::is_directory(name, error);
}

MeasuredFiles measuredFilesNamed(const std::vector<std::string>& names) {
    MeasuredFiles files;
    std::vector<std::string> sets;
    for (const std::string& name : names) {
        if (isMeasuredFolder(name)) {
            addMeasuredFolder(files, name);
        } else if (namesFile(name, physical::measurementSuffixes())) {
            addMeasuredFile(files, name, name);
            addPeersOf(files, fs::path(name).parent_path());
        } else {
            sets.push_back(name);
        }
    }
    if (names.empty() || !sets.empty()) addBundledFiles(files, sets);
    return files;
}

/// What is said of the kinds of rows that were predicted.
std::vector<std::string> assumptionsOf(const MeasuredFiles& files, const physical::Validation& validation) {
    std::vector<std::string> sentences{
        "The error of a row is |predicted - measured| / measured; a refused row counts as 100 %."};
    for (const physical::Predictor& predictor : physical::predictors())
        for (const physical::JudgedTable& judged : files.tables) {
            const bool counts = std::ranges::count(validation.files, judged.table.file) > 0;
            if (counts && physical::predictorOf(judged.table) == &predictor)
                addOnce(sentences, {std::string(predictor.how)});
        }
    return sentences;
}

/// Rows of a set whose value means more of the peak than is believed.
struct DoubtfulRows {
    std::size_t count = 0;
    double maxShare = 0;
    std::string id;  ///< of the most doubtful
};

void addDoubtful(std::map<std::string, DoubtfulRows>& sets, const physical::ValidationRow& row,
                 const std::optional<double>& share) {
    if (!share || *share <= physical::kDoubtfulShare) return;
    DoubtfulRows& rows = sets[row.set];
    ++rows.count;
    if (*share <= rows.maxShare) return;
    rows.maxShare = *share;
    rows.id = row.id;
}

/// A sentence for each set with values that mean more of the peak of their accelerators than is believed.
std::vector<std::string> doubtsOf(const physical::Validation& validation) {
    std::map<std::string, DoubtfulRows> measured, predicted;
    for (const physical::ValidationRow& row : validation.rows) {
        addDoubtful(measured, row, row.measuredShare);
        addDoubtful(predicted, row, row.predictedShare);
    }
    std::vector<std::string> sentences;
    const auto tell = [&](const std::map<std::string, DoubtfulRows>& sets, std::string_view what) {
        for (const auto& [set, rows] : sets)
            sentences.push_back(fmt::format(
                "{}: {} {} more than {:.0f} % of the peak of the accelerators, the most {:.0f} % ({}): work may be "
                "counted that was not done, such as padding, or a unit may be wrong.",
                set, rows.count, fmt::format("{} {}", what, rows.count == 1 ? "value means" : "values mean"),
                physical::kDoubtfulShare * 100, rows.maxShare * 100, rows.id));
    };
    tell(measured, "measured");
    tell(predicted, "predicted");
    return sentences;
}

/// Columns that name a row, its value or its source, and not what was measured.
constexpr std::array<std::string_view, 6> kNamingColumns{"set", "id", "metric", "value", "seconds", "source"};

template <typename See>
void eachCell(const MeasuredValidation& validation, const physical::ValidationRow& row, const See& see) {
    const physical::MeasuredTable& table = validation.tables.at(row.file);
    const physical::MeasuredRow& its = table.rows.at(row.index);
    for (std::size_t i = 0; i < table.columns.size(); ++i)
        if (std::ranges::count(kNamingColumns, table.columns[i]) == 0) see(table.columns[i], its.cells.at(i));
}

Json numberOrNull(const std::optional<double>& value) {
    return value ? Json(*value) : Json(nullptr);
}

Json peersJson(const std::vector<physical::PeerErrors>& peers) {
    Json list = Json::array();
    for (const physical::PeerErrors& peer : peers)
        list.push_back({{"method", peer.method},
                        {"rows", peer.rows},
                        {"mean_error", peer.mean},
                        {"median_error", numberOrNull(peer.median)},
                        {"worst_error", numberOrNull(peer.worst)},
                        {"source", peer.source}});
    return list;
}

Json errorsJson(std::string_view key, const std::string& name, const physical::ErrorSummary& errors) {
    return {{key, name},
            {"rows", errors.rows},
            {"predicted", errors.predicted},
            {"mean_error", errors.mean},
            {"median_error", errors.median},
            {"worst_error", errors.worst},
            {"spearman", numberOrNull(errors.spearman)},
            {"coverage", numberOrNull(errors.coverage)},
            {"baselines", peersJson(errors.peers)}};
}

Json setJson(const physical::ValidationSet& set) {
    Json json = errorsJson("set", set.set, set.errors);
    Json& parts = json["parts"] = Json::array();
    for (const physical::ValidationPart& part : set.parts) parts.push_back(errorsJson("part", part.part, part.errors));
    Json& refusals = json["refusals"] = Json::array();
    for (const auto& [reason, rows] : set.refusals) refusals.push_back({{"reason", reason}, {"rows", rows}});
    return json;
}

Json rowJson(const physical::ValidationRow& row) {
    const std::optional<physical::Estimate>& estimate = row.prediction.estimate;
    return {{"set", row.set},
            {"id", row.id},
            {"metric", row.metric},
            {"measured", row.measured},
            {"predicted", estimate ? Json(estimate->value) : Json(nullptr)},
            {"error", row.error},
            {"low", estimate ? Json(estimate->low) : Json(nullptr)},
            {"high", estimate ? Json(estimate->high) : Json(nullptr)},
            {"refused", estimate ? Json(nullptr) : Json(row.prediction.refused)}};
}

}  // namespace

MeasuredValidation validateMeasured(const std::vector<std::string>& names, const std::vector<std::string>& sets,
                                    const RunControl& control, const std::shared_ptr<ranks::Conductor>& others) {
    control.reportProgress("reading measured tables");
    MeasuredFiles files = measuredFilesNamed(names);
    MeasuredValidation result;
    result.validation = physical::validate(files.tables, files.peers, sets, control,
                                           others ? sharedPredictions(others, sets) : physical::predictTables);
    for (const std::string& file : result.validation.files) result.inputs.push_back(files.inputs.at(file));
    result.assumptions = assumptionsOf(files, result.validation);
    result.warnings = doubtsOf(result.validation);
    result.leftOut = std::move(files.leftOut);
    for (const std::string& file : result.validation.files)
        for (physical::JudgedTable& judged : files.tables)
            if (judged.table.file == file) result.tables.push_back(std::move(judged.table));
    return result;
}

std::vector<std::pair<std::string, std::string>> configurationOf(const MeasuredValidation& validation,
                                                                 const physical::ValidationRow& row) {
    std::vector<std::pair<std::string, std::string>> said;
    eachCell(validation, row, [&](const std::string& column, const std::string& cell) {
        if (!cell.empty()) said.emplace_back(column, cell);
    });
    return said;
}

std::vector<std::string> unsaidOf(const MeasuredValidation& validation, const physical::ValidationRow& row) {
    std::vector<std::string> unsaid;
    eachCell(validation, row, [&](const std::string& column, const std::string& cell) {
        if (cell.empty()) unsaid.push_back(column);
    });
    return unsaid;
}

std::pair<std::string, std::int64_t> sourceOf(const MeasuredValidation& validation,
                                              const physical::ValidationRow& row) {
    const physical::MeasuredTable& table = validation.tables.at(row.file);
    const physical::MeasuredRow& its = table.rows.at(row.index);
    return {table.has("source") ? std::string(table.text(its, "source")) : its.source, its.line};
}

std::string howJudged(const MeasuredValidation& validation, const physical::ValidationRow& row) {
    const physical::Predictor* predictor = findRow(physical::predictors(), validation.validation.kinds.at(row.file));
    return predictor == nullptr ? "" : std::string(predictor->how);
}

Json toJson(const MeasuredValidation& validation) {
    Json json = documentHead("tessera.validation/2", "validate", validation.inputs);
    Json& sets = json["sets"] = Json::array();
    for (const physical::ValidationSet& set : validation.validation.sets) sets.push_back(setJson(set));
    Json& rows = json["rows"] = Json::array();
    for (const physical::ValidationRow& row : validation.validation.rows) rows.push_back(rowJson(row));
    std::vector<std::string> warnings = validation.leftOut;
    warnings.insert(warnings.end(), validation.warnings.begin(), validation.warnings.end());
    finishDocument(json, validation.assumptions, warnings);
    return json;
}

}  // namespace tessera::study
