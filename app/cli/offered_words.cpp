#include "app/cli/offered_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>

#include "app/cli/study_options.h"
#include "core/base/text.h"
#include "core/hardware/library.h"
#include "core/model/model.h"
#include "core/model/zoo/zoo.h"
#include "core/physical/software.h"
#include "core/report/catalogue.h"
#include "core/reproduce/reproduce.h"
#include "core/store/run_list.h"
#include "core/store/store.h"
#include "core/study/engine.h"
#include "core/study/exploration/settable.h"
#include "core/study/exploration/study.h"
#include "core/study/schema_library.h"
#include "core/study/study.h"

namespace tessera::cli {

namespace {

constexpr std::int64_t kOfferedRuns = 50;
constexpr std::uintmax_t kLargestModel = 4 << 20;  ///< bytes of a file that is read while someone types

using Found = std::vector<Offered>;

/// What a line says for a value, such as "MODEL"; empty where it says nothing.
std::string valueOf(const TypedLine& line, const std::string& name) {
    const auto found = line.values.find(name);
    return found == line.values.end() ? "" : found->second;
}

/// Values of the form NAME=VALUE,VALUE: names as long as none is typed, then values of the one that is. `signs` are
/// those that may stand between them.
Found assignments(const TypedLine& line, const Found& names, const std::vector<std::string>& signs,
                  const std::function<Found(const std::string& name)>& valuesOf = {}) {
    for (const Offered& name : names)
        for (const std::string& sign : signs) {
            const std::string before = name.word + sign;
            if (!line.begun.starts_with(before)) continue;
            const std::size_t comma = line.begun.rfind(',');
            const std::string kept =
                line.begun.substr(0, comma == std::string::npos ? before.size() : std::max(comma + 1, before.size()));
            Found values = valuesOf ? valuesOf(name.word) : Found();
            for (Offered& value : values) value.word = kept + value.word;
            return values;
        }
    Found found;
    for (const Offered& name : names)
        for (const std::string& sign : signs) found.push_back({name.word + sign, name.about});
    return found;
}

Found withoutAbout(const std::vector<std::string>& words) {
    Found found;
    for (const std::string& word : words) found.push_back({word});
    return found;
}

// Names of files and of what is bundled
// -----------------------------------------------------------------------------------------------------

Found models() {
    Found found;
    for (const model::ZooEntry& entry : model::zooEntries()) found.push_back({"zoo:" + entry.id, entry.title});
    return found;
}

/// Of one kind, or of all where `kind` is empty.
Found hardwareOf(std::string_view kind) {
    Found found;
    for (const hardware::LibraryEntry& entry : hardware::libraryEntries())
        if (entry.problem.empty() && (kind.empty() ? entry.kind != "workload" : entry.kind == kind))
            found.push_back({entry.id, entry.name});
    return found;
}

Found filesOf(std::string_view folder) {
    Found found;
    for (const auto& [id, path] : hardware::libraryFiles(folder, "")) found.push_back({id});
    return found;
}

Found studies() {
    Found found;
    for (const auto& [name, title] : study::bundledStudies()) found.push_back({name, title});
    return found;
}

Found figures() {
    Found found{{"list", "names all figures"}};
    for (const study::Figure& figure : study::figures())
        found.push_back({std::string(figure.name), std::string(figure.title)});
    return found;
}

Found stacks() {
    Found found;
    for (const char* profile : {"eager", "fused", "tuned"}) found.push_back({profile, "a profile"});
    for (const physical::SoftwareStack& stack : physical::softwareStacks()) found.push_back({stack.id, stack.does});
    return found;
}

/// Rows of all catalogues, each id once.
Found exported() {
    Found found;
    const auto add = [&](const auto& rows) {
        for (const report::Row& row : rows)
            if (std::none_of(found.begin(), found.end(), [&](const Offered& each) { return each.word == row.id; }))
                found.push_back({std::string(row.id), std::string(row.about)});
    };
    for (const report::Catalogue& each : report::catalogues()) {
        add(each.pictures);
        add(each.tables);
        add(each.files);
    }
    return found;
}

Found engines() {
    Found found;
    for (const study::Engine& engine : study::engines())
        found.push_back({std::string(engine.id), std::string(engine.title)});
    return found;
}

Found schemas() {
    Found found;
    for (const study::SchemaKind& kind : study::schemaKinds()) found.push_back({kind.id, kind.about});
    return found;
}

// The history
// -----------------------------------------------------------------------------------------------------

store::Store historyOf(const TypedLine& line) {
    return store::openNamed(line.history, store::OpenMode::readOnly);
}

Found runs(const TypedLine& line) {
    Found found{{"last", "the newest run"}};
    for (const store::RunRow& row : historyOf(line).query({}, kOfferedRuns))
        found.push_back({std::to_string(row.id), row.name});
    return found;
}

Found tags(const TypedLine& line) {
    Found found;
    for (const auto& [tag, count] : historyOf(line).tags()) found.push_back({tag, formatCounted(count, "run", "runs")});
    return found;
}

Found statuses() {
    return withoutAbout({"queued", "running", "paused", "interrupted", "done", "failed", "cancelled"});
}

/// The metrics that runs of the history have, of the runs themselves first.
Found keptMetrics(const TypedLine& line) {
    Found own, ofParts;
    for (const study::Metric& metric : historyOf(line).metricKinds())
        (metric.name.find('/') == std::string::npos ? own : ofParts).push_back({metric.name, metric.title});
    own.insert(own.end(), ofParts.begin(), ofParts.end());
    return own;
}

Found columns(const TypedLine& line) {
    Found found;
    for (const store::RunColumn& column : store::runColumns())
        found.push_back({std::string(column.id), std::string(column.help)});
    const Found metrics = keptMetrics(line);
    found.insert(found.end(), metrics.begin(), metrics.end());
    return found;
}

Found sortColumns(const TypedLine& line) {
    Found found = withoutAbout({"started", "name", "status", "engine", "model", "hardware"});
    const Found metrics = keptMetrics(line);
    found.insert(found.end(), metrics.begin(), metrics.end());
    return found;
}

Found conditions(const TypedLine& line) {
    Found names, found;
    for (const std::string& word : store::conditionWords()) {
        const std::string_view plain = trimmed(word);
        if (plain.ends_with(':'))
            names.push_back({std::string(plain.substr(0, plain.size() - 1))});
        else
            found.push_back({word});
    }
    const Found words = assignments(line, names, {":"}, [&](const std::string& name) {
        if (name == "engine") return engines();
        if (name == "tag") return tags(line);
        if (name == "status") return statuses();
        if (name == "since" || name == "until") return withoutAbout({"today"});
        return Found();
    });
    found.insert(found.end(), words.begin(), words.end());
    if (line.begun.find(':') == std::string::npos)
        for (const Offered& bound : assignments(line, keptMetrics(line), {"<", ">"})) found.push_back(bound);
    return found;
}

// What of a study there is to set and to measure
// -----------------------------------------------------------------------------------------------------

/// What `--dim` of a model takes: the sizes of a network of the zoo, what a file leaves open.
Found dimensions(const TypedLine& line) {
    Found names;
    std::map<std::string, std::string> defaults;
    const std::string given = valueOf(line, "MODEL");
    for (const std::string_view part : split(given, ',')) {
        const std::string name(trimmed(part));
        for (const model::ZooEntry& entry : model::zooEntries())
            if (name == "zoo:" + entry.id)
                for (const model::ZooDimension& row : entry.dimensions) {
                    names.push_back({row.name, fmt::format("{} (default {})", row.meaning, row.value)});
                    defaults.emplace(row.name, std::to_string(row.value));
                }
        std::error_code error;
        if (!std::filesystem::is_regular_file(name, error) || std::filesystem::file_size(name, error) > kLargestModel)
            continue;
        const model::Model loaded = model::loadModel(name);
        if (loaded.graph() != nullptr)
            for (const std::string& open : model::unboundDimensions(*loaded.graph()))
                names.push_back({open, "a dimension that the file leaves open"});
    }
    return assignments(line, names, {"="}, [&](const std::string& name) {
        return defaults.contains(name) ? withoutAbout({defaults.at(name)}) : Found();
    });
}

/// What is known of the values of something that can be set in a study.
Found valuesOfSettable(const study::Study& base, const study::Settable& each) {
    const study::Engine& engine = study::engineNamed(base.engine);
    if (each.kind == "input") {
        if (each.name == "models") return models();
        return each.name == "workloads" ? filesOf("workloads") : hardwareOf(engine.hardwareKind);
    }
    Found found;
    if (each.kind == "parameter")
        if (const study::Parameter* row = study::findParameter(engine.parameters(), each.name)) {
            for (const std::string_view word : row->words) found.push_back({std::string(word)});
            if (row->kind == study::ParameterKind::flag) found = withoutAbout({"true", "false"});
        }
    return found;
}

/// Of all that can be set in the study of a line, what `isMeant` says.
Found settables(const TypedLine& line, bool (*isMeant)(const study::Settable& each)) {
    const study::Study exploration = explorationOf(valueOf(line, "STUDY"));
    const study::Study base = study::baseOf(exploration);
    Found names;
    std::map<std::string, study::Settable> all;
    for (const study::Settable& each : study::settablesOf(study::choicesOf(exploration))) {
        if (!isMeant(each)) continue;
        const std::string about = each.title.empty() ? each.help : each.title;
        names.push_back({each.nameInLine(),
                         each.now.empty() || each.now == "–" ? about : fmt::format("{}, now {}", about, each.now)});
        all.emplace(each.nameInLine(), each);
    }
    return assignments(line, names, {"="},
                       [&](const std::string& name) { return valuesOfSettable(base, all.at(name)); });
}

Found variables(const TypedLine& line) {
    return settables(line, [](const study::Settable&) { return true; });
}

Found sweptParameters(const TypedLine& line) {
    return settables(line,
                     [](const study::Settable& each) { return each.kind == "parameter" || each.kind == "input"; });
}

Found studyMetrics(const TypedLine& line) {
    return withoutAbout(study::offeredMetrics(explorationOf(valueOf(line, "STUDY"))));
}

Found objectives(const TypedLine& line) {
    const Found metrics = studyMetrics(line);
    if (line.begun.find(':') == std::string::npos) return metrics;
    return assignments(line, metrics, {":"}, [](const std::string&) { return withoutAbout({"min", "max"}); });
}

constexpr std::array kSources{
    WordSource{"@models", [](const TypedLine&) { return models(); }},
    WordSource{"@hardware", [](const TypedLine&) { return hardwareOf(""); }},
    WordSource{"@accelerators", [](const TypedLine&) { return hardwareOf("accelerator"); }},
    WordSource{"@fleets", [](const TypedLine&) { return hardwareOf("fleet"); }},
    WordSource{"@platforms", [](const TypedLine&) { return hardwareOf("platform"); }},
    WordSource{"@templates", [](const TypedLine&) { return hardwareOf("template"); }},
    WordSource{"@workloads", [](const TypedLine&) { return filesOf("workloads"); }},
    WordSource{"@placements", [](const TypedLine&) { return filesOf("placements"); }},
    WordSource{"@operators", [](const TypedLine&) { return filesOf("operators"); }},
    WordSource{"@datasets", [](const TypedLine&) { return filesOf("datasets"); }},
    WordSource{"@studies", [](const TypedLine&) { return studies(); }},
    WordSource{"@runs", runs},
    WordSource{"@tags", tags},
    WordSource{"@statuses", [](const TypedLine&) { return statuses(); }},
    WordSource{"@columns", columns},
    WordSource{"@sort-columns", sortColumns},
    WordSource{"@metric-bounds", [](const TypedLine& line) { return assignments(line, keptMetrics(line), {"="}); },
               true},
    WordSource{"@conditions", conditions, true},
    WordSource{"@figures", [](const TypedLine&) { return figures(); }},
    WordSource{"@stacks", [](const TypedLine&) { return stacks(); }},
    WordSource{"@exports", [](const TypedLine&) { return exported(); }},
    WordSource{"@engines", [](const TypedLine&) { return engines(); }},
    WordSource{"@schemas", [](const TypedLine&) { return schemas(); }},
    WordSource{"@dimensions", dimensions, true},
    WordSource{"@variables", variables, true},
    WordSource{"@swept", sweptParameters, true},
    WordSource{"@objectives", objectives, true},
    WordSource{"@constraints",
               [](const TypedLine& line) {
                   return assignments(line, studyMetrics(line), {"<=", ">="});
               },
               true},
};

}  // namespace

const WordSource* findWordSource(std::string_view name) {
    const auto* const found =
        std::find_if(kSources.begin(), kSources.end(), [&](const WordSource& each) { return each.name == name; });
    return found == kSources.end() ? nullptr : found;
}

}  // namespace tessera::cli
