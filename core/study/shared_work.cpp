#include "core/study/shared_work.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json.h"
#include "core/base/made_file.h"
#include "core/base/parallel.h"
#include "core/base/text.h"
#include "core/hardware/library.h"
#include "core/study/exploration/inputs.h"
#include "core/study/exploration/shared_points.h"
#include "core/study/shared_validation.h"
#include "core/study/stored_form.h"
#include "core/study/study.h"

namespace tessera::study {

namespace {

constexpr const char* kRunsOfStudies = "runs of studies";
constexpr std::size_t kMostPacked = 1'000'000;

/// Where files of the library lie in the process that asks: their names then mean the same here, whatever is here.
void lookWhere(const std::vector<std::filesystem::path>& folders) {
    std::vector<std::filesystem::path> all = folders;
    for (const std::filesystem::path& own : hardware::dataFolders())
        if (std::find(all.begin(), all.end(), own) == all.end()) all.push_back(own);
    if (all != hardware::dataFolders()) hardware::setDataFolders(all);
}

/// Files that the process that asks has made are known as such; it makes all that there are.
void takeMadeFiles(const std::string& prefix) {
    if (prefix.empty() || isMadeFile(prefix)) return;
    setFileMaker({.prefix = prefix,
                  .has = [](const std::string&) { return false; },
                  .bytes = [](const std::string& name) -> std::string {
                      throw FileError(fmt::format("{}: rank 0 has not read it", escaped(name)));
                  }});
}

class RunsDoer : public ranks::TaskDoer {
public:
    explicit RunsDoer(const std::string& setup) {
        ranks::Unpacker contents(setup, "the setup of runs");
        files_ = unpackedInputs(contents);
        contents.end();
    }

    std::optional<std::string> answer(const std::string& question, const RunControl& control) override {
        const Study study = readStudy(JsonDocument::parse(question, "a study of rank 0").root());
        RunContext context{{RunControl{.cancel = control.cancel, .threads = 1}}};
        context.files = std::make_shared<InputFiles>(files_);
        const Result result = run(study, context);
        control.throwIfCancelled("the run");
        return toJson(result).dump();
    }

private:
    std::shared_ptr<InputFiles> files_;
};

}  // namespace

ranks::WorkKinds sharedWork() {
    return {{kPointsOfExploration, sharedPointsDoer},
            {kRunsOfStudies, sharedRunsDoer},
            {kRowsOfMeasuredTables, sharedRowsDoer}};
}

void packInputs(ranks::Packer& packed, const InputFiles& files) {
    const std::vector<std::filesystem::path> folders = hardware::dataFolders();
    packed.whole(folders.size());
    for (const std::filesystem::path& folder : folders) packed.text(folder.string());
    packed.text(madeFilePrefix());
    const std::map<std::string, InputFiles::Bytes> known = files.known();
    packed.whole(known.size());
    for (const auto& [path, bytes] : known) packed.text(path).text(*bytes);
    const std::map<std::string, std::string> places = files.places();
    packed.whole(places.size());
    for (const auto& [name, place] : places) packed.text(name).text(place);
}

std::shared_ptr<InputFiles> unpackedInputs(ranks::Unpacker& contents) {
    auto files = std::make_shared<InputFiles>();
    std::vector<std::filesystem::path> folders;
    for (std::uint64_t left = contents.whole(kMostPacked); left > 0; --left) folders.emplace_back(contents.text());
    const std::string made = contents.text();
    for (std::uint64_t left = contents.whole(kMostPacked); left > 0; --left) {
        const std::string path = contents.text();
        files->give(path, contents.text());
    }
    for (std::uint64_t left = contents.whole(kMostPacked); left > 0; --left) {
        const std::string name = contents.text();
        files->redirect(name, contents.text());
    }
    lookWhere(folders);
    takeMadeFiles(made);
    return files;
}

std::shared_ptr<const ranks::Setup> sharedRuns(const std::vector<Study>& studies,
                                               const std::shared_ptr<InputFiles>& files, unsigned threads) {
    try {
        const InputScope inputs(files);
        for (const InputFile& file : filesOfAll(studies)) readFile(file.path);
    } catch (const std::exception&) {
        // The run that needs it says so.
    }
    ranks::Packer packed;
    packInputs(packed, *files);
    return std::make_shared<const ranks::Setup>(
        ranks::Setup{kRunsOfStudies, packed.bytes(), threads == 0 ? 0 : threadCount(threads)});
}

std::unique_ptr<ranks::TaskDoer> sharedRunsDoer(const std::string& setup) {
    return std::make_unique<RunsDoer>(setup);
}

std::string questionOf(const Study& study) {
    return toJson(study).dump();
}

Result resultOf(const std::string& answer, const Study& study) {
    return readResult(JsonDocument::parse(answer, "a worker's answer").root(), study);
}

}  // namespace tessera::study
