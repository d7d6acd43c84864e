#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/store/database.h"
#include "core/store/store.h"
#include "core/study/partition/outcome.h"
#include "core/study/study.h"
#include "tests/support/partition_result.h"

namespace tessera::store::test {

/// A folder of its own for every test.
class StoreFile : public ::testing::Test {
protected:
    std::filesystem::path file(const std::string& name = "history.db") const { return folder_.path() / name; }

private:
    TemporaryFolder folder_;
};

inline study::Study studyOf(const std::string& model, const std::string& hardware, const std::string& name = "") {
    study::Study study = tessera::test::handMadeResult().study;
    study.models = {model};
    study.hardware = {hardware};
    study.name = name;
    return study;
}

/// Adds a finished run; its result says `stepTime`.
inline RunId addDone(Store& store, const study::Study& study, double stepTime = 0.0362) {
    study::Result result = tessera::test::handMadeResult();
    result.study = study;
    result.outcome.get<study::PartitionOutcome>().result.plans[0].stepTime = Seconds{stepTime};
    const RunId run = store.addRun(study);
    store.finishRun(run, result, study::headline(result));
    return run;
}

inline std::vector<RunId> idsOf(const std::vector<RunRow>& rows) {
    std::vector<RunId> ids;
    for (const RunRow& row : rows) ids.push_back(row.id);
    return ids;
}

/// Runs `work` and says which problem it met; the sentence goes to `sentence`.
inline StoreProblem problemOf(const std::function<void()>& work, std::string* sentence = nullptr) {
    try {
        work();
    } catch (const StoreError& error) {
        if (sentence != nullptr) *sentence = error.what();
        return error.problem;
    }
    ADD_FAILURE() << "no StoreError was thrown";
    return {};
}

}  // namespace tessera::store::test
