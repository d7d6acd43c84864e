#include "core/report/handover.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "core/base/error.h"
#include "core/base/input_files.h"
#include "core/base/made_file.h"
#include "core/base/text.h"
#include "core/store/documents.h"
#include "core/store/recorder.h"

namespace tessera::report {

namespace {

bool isNumber(std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// Files made of the runs of a history.
class RunInputs {
public:
    explicit RunInputs(std::function<store::Store()> open) : open_(std::move(open)) {}

    bool has(const std::string& name) {
        try {
            (void)find(name);
            return true;
        } catch (const std::exception&) {
            return false;
        }
    }

    std::string bytes(const std::string& name) {
        try {
            return find(name);
        } catch (const InterruptedError&) {
            throw;
        } catch (const std::exception& error) {
            throw FileError(fmt::format("{}: {}", escaped(name), error.what()));
        }
    }

private:
    static constexpr std::size_t kMostResults = 4;

    /// Makes what a name says behind the run. It may also be a file that stands beside another one, whose name it then
    /// begins with: the name is cut behind its last "-" or "/" again and again.
    std::string find(const std::string& name) {
        if (const auto known = kept(name)) return *known;
        const std::size_t slash = name.find('/');
        if (slash == std::string::npos || slash + 1 == name.size())
            throw UsageError(
                "expected run:NUMBER/FILE or run:NUMBER/FILE/PART, by the files that 'tessera export RUN "
                "--what file' writes");
        // What is read to make it is no input of the run that asks.
        const InputScope apart(std::make_shared<InputFiles>());
        const std::string run = name.substr(kRunInput.size(), slash - kRunInput.size());
        if (!isNumber(run))
            throw UsageError(fmt::format("{} is no number of a run, by which a study names it", inQuotes(run)));
        const std::shared_ptr<const study::Result> result = resultOf(run);
        std::string reason;  // of the whole name
        std::size_t end = name.size();
        for (; end != std::string::npos && end > slash; end = name.find_last_of("-/", end - 1)) {
            try {
                makeFiles(run, *result, name.substr(0, end), name.substr(slash + 1, end - slash - 1));
            } catch (const UsageError& error) {
                if (reason.empty()) reason = error.what();
                continue;
            }
            if (const auto made = kept(name)) return *made;
            break;
        }
        throw UsageError(reason.empty() ? "no such file stands beside it" : reason);
    }

    std::optional<std::string> kept(const std::string& name) {
        const std::lock_guard lock(mutex_);
        const auto found = files_.find(name);
        return found == files_.end() ? std::nullopt : std::optional(found->second);
    }

    std::shared_ptr<const study::Result> resultOf(const std::string& run) {
        {
            const std::lock_guard lock(mutex_);
            if (const auto found = results_.find(run); found != results_.end()) return found->second;
        }
        const store::Store history = open_();
        std::optional<study::Result> result = history.result(history.find(run));
        if (!result) throw UsageError(fmt::format("run {} has no result", run));
        auto shared = std::make_shared<const study::Result>(std::move(*result));
        const std::lock_guard lock(mutex_);
        if (results_.size() >= kMostResults) results_.clear();
        return results_.emplace(run, std::move(shared)).first->second;
    }

    /// Makes the files of "fleet/h100@8", the first of them under `name`, unless that was done.
    void makeFiles(const std::string& run, const study::Result& result, const std::string& name,
                   const std::string& what) {
        if (kept(name)) return;
        const std::size_t slash = what.find('/');
        const std::string file = what.substr(0, slash);
        const std::vector<const FileRow*> rows = handoversOf(result.study.engine);
        const auto row = std::find_if(rows.begin(), rows.end(), [&](const FileRow* each) { return each->id == file; });
        if (row == rows.end()) {
            std::vector<std::string> known;
            for (const FileRow* each : rows) known.emplace_back(each->id);
            throw UsageError(known.empty() ? fmt::format("a run of {} makes no input", result.study.engine)
                                           : fmt::format("a run of {} makes no {}; expected one of {}",
                                                         result.study.engine, inQuotes(file), joined(known, ", ")));
        }
        const Selection at =
            selectionOf(**row, result, slash == std::string::npos ? std::string() : what.substr(slash + 1));
        study::RunContext context;
        context.files = std::make_shared<InputFiles>([open = open_, run] {
            const store::Store history = open();
            return store::storedInputs(history, history.find(run));
        });
        for (auto& [path, bytes] : (*row)->make({result, at, context}, name)) {
            const std::lock_guard lock(mutex_);
            files_[path.string()] = std::move(bytes);
        }
    }

    const std::function<store::Store()> open_;
    std::mutex mutex_;
    std::map<std::string, std::string> files_;
    std::map<std::string, std::shared_ptr<const study::Result>> results_;
};

}  // namespace

std::vector<const FileRow*> handoversOf(std::string_view engine) {
    std::vector<const FileRow*> rows;
    for (const FileRow& row : catalogueOf(engine).files)
        if (!row.makes.empty()) rows.push_back(&row);
    return rows;
}

std::vector<const study::Engine*> takersOf(std::string_view kind) {
    std::vector<const study::Engine*> takers;
    for (const study::Engine& engine : study::engines())
        if (engine.hardware != study::InputArity::none && engine.hardwareKind == kind) takers.push_back(&engine);
    return takers;
}

std::string nameOfInput(store::RunId run, const FileRow& row, const std::string& choice) {
    return fmt::format("{}{}/{}{}{}", kRunInput, run, row.id, choice.empty() ? "" : "/", choice);
}

void serveRunInputs(std::function<store::Store()> open) {
    const auto inputs = std::make_shared<RunInputs>(std::move(open));
    setFileMaker({.prefix = std::string(kRunInput),
                  .has = [inputs](const std::string& name) { return inputs->has(name); },
                  .bytes = [inputs](const std::string& name) { return inputs->bytes(name); }});
}

}  // namespace tessera::report
