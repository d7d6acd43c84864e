#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/store/recorder.h"
#include "core/store/store.h"
#include "core/study/study.h"
#include "tests/support/scratch_folder.h"

// A prediction rests on more files than its study names: what an accelerator's file names is kept with the run.

namespace tessera::store {
namespace {

namespace fs = std::filesystem;

class PredictionInputs : public testing::Test {
protected:
    PredictionInputs() {
        fs::create_directories(folder_ / "own");
        fs::create_directories(folder_ / "tables");
        write("own/chip.json", R"({"schema": "tessera.accelerator/1", "name": "chip", "peak_flops": {"fp16": 1e12},
            "memory": [{"name": "RAM", "capacity_bytes": 1e9, "bandwidth_bytes_per_s": 1e11}],
            "kernels": "../tables/chip.csv"})");
        write("tables/chip.csv", "kernel,shape,dtype,seconds\ngemm,1x10x84,fp16,1\n");
    }

    void write(const std::string& name, const std::string& text) const { std::ofstream(folder_ / name) << text; }

    study::Study prediction() const {
        study::Study study = study::newStudy("predict");
        study.models = {"zoo:lenet5"};
        study.hardware = {(folder_ / "own/chip.json").string()};
        study::setParameter(study, "batch", {"1"});
        return study;
    }

    tessera::test::ScratchFolder folder_;
};

TEST_F(PredictionInputs, areKeptAndStandInForChangedFiles) {
    const fs::path history = folder_ / "history.db";
    RecordOptions options;
    options.path = history;
    const Recorded recorded = runRecorded(prediction(), {}, options);
    const study::Result& before = recorded.result;
    const RunId run = recorded.run;
    ASSERT_GT(run, 0);
    const Store store = Store::open(history, OpenMode::readOnly);
    EXPECT_EQ(store.inputs(run).size(), 4U) << "the model, the accelerator, its kernels, the reference";

    write("tables/chip.csv", "kernel,shape,dtype,seconds\ngemm,1x10x84,fp16,2\n");
    EXPECT_NE(study::toJson(study::run(prediction())), study::toJson(before));
    study::RunContext context;
    context.files = storedInputs(store, run);
    EXPECT_EQ(study::toJson(study::run(prediction(), context))["predictions"], study::toJson(before)["predictions"]);
}

/// The utilisation that was measured of the reference, by which the baseline is scaled, is that of the run.
TEST_F(PredictionInputs, theReferenceIsOneOfThem) {
    const auto writeReference = [&](double utilization) {
        write("reference.json", fmt::format(R"({{"schema": "tessera.accelerator/1", "name": "old chip",
            "peak_flops": {{"fp16": 1e12}},
            "memory": [{{"name": "RAM", "capacity_bytes": 1e9, "bandwidth_bytes_per_s": 1e11}}],
            "benchmarks": [{{"model": "zoo:resnet50", "utilization": {}}}]}})",
                                            utilization));
    };
    writeReference(0.1);
    study::Study study = prediction();
    const std::string reference = (folder_ / "reference.json").string();
    study::setParameter(study, "reference", {reference});
    RecordOptions options;
    options.path = folder_ / "history.db";
    const Recorded recorded = runRecorded(study, {}, options);
    const Store store = Store::open(options.path, OpenMode::readOnly);
    const std::vector<InputContent> kept = store.inputs(recorded.run);
    EXPECT_TRUE(
        std::any_of(kept.begin(), kept.end(), [&](const InputContent& each) { return each.name == reference; }));
    const Json before = study::toJson(recorded.result);
    writeReference(0.2);
    EXPECT_NE(study::toJson(study::run(study))["inputs"], before["inputs"]) << "it is hashed";
    EXPECT_NE(study::toJson(study::run(study))["predictions"], before["predictions"]);
    study::RunContext context;
    context.files = storedInputs(store, recorded.run);
    EXPECT_EQ(study::toJson(study::run(study, context))["predictions"], before["predictions"]);
}

}  // namespace
}  // namespace tessera::store
