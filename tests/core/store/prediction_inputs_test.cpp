#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

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
    EXPECT_EQ(store.inputs(run).size(), 3U) << "the model, the accelerator, its kernels";

    write("tables/chip.csv", "kernel,shape,dtype,seconds\ngemm,1x10x84,fp16,2\n");
    EXPECT_NE(study::toJson(study::run(prediction())), study::toJson(before));
    study::RunContext context;
    context.files = storedInputs(store, run);
    EXPECT_EQ(study::toJson(study::run(prediction(), context))["predictions"], study::toJson(before)["predictions"]);
}

}  // namespace
}  // namespace tessera::store
