#include "core/predict/machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <thread>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json.h"
#include "core/calibrate/all_reduce.h"
#include "core/calibrate/calibrate.h"
#include "core/calibrate/grid.h"
#include "core/calibrate/host.h"
#include "core/calibrate/kernels.h"
#include "core/calibrate/streams.h"
#include "core/model/model.h"
#include "tests/support/schema.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/work.h"

namespace tessera::calibrate::test {
namespace {

constexpr std::size_t kMebi = std::size_t{1} << 20U;

double seconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

predict::Workload step(const char* model, model::Optimizer optimizer = model::Optimizer::sgd) {
    return predict::workloadOf(model::loadModel(model), predict::precisionOf("fp32"), optimizer);
}

// Which shapes --------------------------------------------------------------------------------------------------------

TEST(Grid, asksForKernelsThatThereAre) {
    const std::vector<std::string> known = kernelNames();
    std::set<std::string> asked;
    for (const Request& request : standardGrid(false)) asked.insert(request.kernel);
    for (const std::string& kernel : asked) EXPECT_THAT(known, testing::Contains(kernel));
    for (const char* kernel : {"gemm", "conv", "conv_input_gradient", "conv_weight_gradient", "relu", "gelu", "lstm",
                               "attention", "batchnormalization_gradient", "layernormalization", "softmax", "maxpool"})
        EXPECT_TRUE(asked.contains(kernel)) << kernel;
    EXPECT_LT(standardGrid(true).size(), standardGrid(false).size());
}

TEST(Grid, takesWhatPredictionLooksUp) {
    const predict::Workload workload = step("zoo:resnet18");
    const std::vector<Request> requests = requestsOf(workload, {2, 8});
    predict::KernelTable table;
    for (const Request& request : requests) table.add(request.kernel, "fp32", request.sizes, Seconds{1});
    EXPECT_EQ(table.rows(), requests.size()) << "each once";
    for (const predict::StepOperator& op : workload.operators) {
        if (op.free || op.kernel->kernel.empty()) continue;
        for (const double batch : {2.0, 4.0, 8.0}) {
            predict::KernelTable::Sizes sizes;
            for (const predict::Affine& size : op.kernel->sizes) sizes.push_back(size.at(batch));
            EXPECT_TRUE(table.find(op.kernel->kernel, "fp32", sizes).time) << op.name << " at " << batch;
        }
    }
}

TEST(Grid, ordersByBytes) {
    const std::vector<Request> requests = requestsOf(step("zoo:lenet5"), {1});
    ASSERT_GT(requests.size(), 3U);
    EXPECT_THAT(requests.front().kernel, testing::AnyOf("gemm", "sgdupdate")) << "of the largest layer's weights";
    std::vector<Request> joined = requests;
    addRequests(joined, requests);
    EXPECT_EQ(joined, requests);
}

TEST(Grid, tellsDataTypesApart) {
    const std::vector<Request> floats = requestsOf(step("zoo:lenet5"), {1});
    std::vector<Request> both = floats;
    addRequests(both, inType(floats, "bf16"));
    ASSERT_EQ(both.size(), 2 * floats.size());
    EXPECT_EQ(both.front().dtype, "fp32");
    EXPECT_EQ(both.back().dtype, "bf16");
    EXPECT_EQ(both.back().sizes, floats.back().sizes);
}

TEST(Grid, countsOperations) {
    EXPECT_EQ(operationsOf({.kernel = "gemm", .sizes = {2, 3, 5}}), 60);
    // 4 samples of 8 channels, windows of 3x3 over 18x10 at stride 1: 16x8 places for 6 filters in 2 groups.
    EXPECT_EQ(operationsOf({.kernel = "conv", .sizes = {4, 8, 18, 10, 6, 3, 3, 1, 2}}), 2.0 * 4 * 16 * 8 * 6 * 4 * 9);
    EXPECT_EQ(operationsOf({.kernel = "relu", .sizes = {100}}), 0);
}

// Kernels -------------------------------------------------------------------------------------------------------------

/// Small sizes for a kernel with so many axes.
predict::KernelTable::Sizes smallSizes(const std::string& kernel) {
    for (const Request& request : standardGrid(false)) {
        if (request.kernel != kernel) continue;
        predict::KernelTable::Sizes sizes = request.sizes;
        if (sizes.size() == 1) sizes = {1024};
        if (kernel.starts_with("conv")) sizes = {1, 8, 10, 10, 8, 3, 3, 1, 1};
        if (kernel == "lstm" || kernel == "lstm_gradient") sizes = {3, 2, 8, 16};
        return sizes;
    }
    return {1024};
}

TEST(Kernels, eachRuns) {
    KernelLibrary library(1, 256 * kMebi, kMebi);
    for (const std::string& kernel : kernelNames()) {
        const Kernel run = library.prepare({.kernel = kernel, .sizes = smallSizes(kernel)});
        ASSERT_TRUE(run) << kernel;
        for (int i = 0; i < 20; ++i) run();
    }
}

TEST(Kernels, eachRunsInHalfPrecision) {
    KernelLibrary library(1, 256 * kMebi, kMebi);
    for (const std::string& kernel : kernelNames()) {
        const Kernel run = library.prepare({.kernel = kernel, .dtype = "bf16", .sizes = smallSizes(kernel)});
        // A processor without instructions for it may refuse, but what is prepared runs.
        ASSERT_TRUE(run || !KernelLibrary::hasInstructionsFor("bf16")) << kernel;
        for (int i = 0; run && i < 20; ++i) run();
    }
    EXPECT_FALSE(library.prepare({.kernel = "relu", .dtype = "int8", .sizes = {16}})) << "only products are";
    EXPECT_FALSE(library.prepare({.kernel = "relu", .dtype = "fp8", .sizes = {16}}));
}

TEST(Kernels, coverAStepOfTraining) {
    // Every operator of these models that takes time: forward, backward and update.
    const std::vector<std::string> known = kernelNames();
    for (const char* model :
         {"zoo:resnet50", "zoo:unet", "zoo:candle-uno", "zoo:bert-base", "zoo:braggnn", "zoo:gpt2"}) {
        const predict::Workload workload = step(model);
        for (const predict::StepOperator& op : workload.operators) {
            if (op.free) continue;
            EXPECT_THAT(known, testing::Contains(op.kernel->kernel)) << model << ' ' << op.name << ' ' << op.type.get();
        }
    }
}

TEST(Kernels, refuseWhatTheyCannotDo) {
    KernelLibrary library(1, kMebi, 0);
    EXPECT_FALSE(library.prepare({.kernel = "juggle", .sizes = {4}}));
    EXPECT_FALSE(library.prepare({.kernel = "gemm", .sizes = {4, 4}})) << "another number of axes";
    EXPECT_FALSE(library.prepare({.kernel = "gemm", .sizes = {4, 4, 0.5}}));
    EXPECT_FALSE(library.prepare({.kernel = "gemm", .sizes = {4, 4, 1e15}}));
    EXPECT_FALSE(library.prepare({.kernel = "gemm", .dtype = "fp7", .sizes = {4, 4, 4}}));
    EXPECT_FALSE(library.prepare({.kernel = "gemm", .sizes = {1024, 1024, 1024}})) << "larger than the pool";
    EXPECT_FALSE(library.prepare({.kernel = "conv", .sizes = {1, 3, 2, 2, 8, 3, 3, 1, 1}})) << "no window fits";
    EXPECT_FALSE(library.prepare({.kernel = "conv", .sizes = {1, 3, 8, 8, 8, 3, 3, 1, 2}})) << "groups do not divide";
    EXPECT_FALSE(library.prepare({.kernel = "add", .sizes = {10, 3}})) << "no whole rows";
    EXPECT_TRUE(library.prepare({.kernel = "gemm", .sizes = {64, 64, 64}}));
    EXPECT_THAT(KernelLibrary::version(), testing::MatchesRegex("oneDNN [0-9]+\\.[0-9]+\\.[0-9]+"));
}

TEST(Kernels, takeLongerForMore) {
    KernelLibrary library(1, 256 * kMebi, kMebi);
    const Tools tools{.now = seconds, .prepare = [&](const Request& request) { return library.prepare(request); }};
    const Outcome outcome = measureTwice({{.kernel = "gemm", .sizes = {64, 64, 64}},
                                          {.kernel = "gemm", .sizes = {512, 512, 512}},
                                          {.kernel = "relu", .sizes = {1024}},
                                          {.kernel = "relu", .sizes = {4194304}}},
                                         tools, 3, {});
    ASSERT_EQ(outcome.measured.size(), 4U);
    EXPECT_GT(outcome.measured[1].seconds(), 20 * outcome.measured[0].seconds());
    EXPECT_GT(outcome.measured[3].seconds(), 20 * outcome.measured[2].seconds());
}

// Rates ---------------------------------------------------------------------------------------------------------------

TEST(Streams, haveRates) {
    const double small = streamRate(16384, 1, 0.05, seconds, {});
    EXPECT_GT(small, 1e9);
    EXPECT_LT(small, 1e13);
    // Bounds only: a processor that others use gives whatever they leave.
    for (const std::size_t bytes : {std::size_t{4}, std::size_t{8}}) {
        const double peak = peakRate(bytes, 1, 0.05, seconds, {});
        EXPECT_GT(peak, 1e8);
        EXPECT_LT(peak, 1e13);
    }
    std::stop_source stop;
    stop.request_stop();
    EXPECT_THROW(streamRate(16384, 1, 10, seconds, {.cancel = stop.get_token()}), InterruptedError);
    EXPECT_THROW(peakRate(4, 1, 10, seconds, {.cancel = stop.get_token()}), InterruptedError);
}

/// A sandbox without network may have no loopback interface either.
bool hasLoopback() {
    const int listener = socket(AF_INET, SOCK_STREAM, 0), caller = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{.sin_family = AF_INET, .sin_port = 0, .sin_addr = {htonl(INADDR_LOOPBACK)}, .sin_zero = {}};
    socklen_t size = sizeof(address);
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    const bool connected = bind(listener, generic, size) == 0 && listen(listener, 1) == 0 &&
                           getsockname(listener, generic, &size) == 0 && connect(caller, generic, size) == 0;
    close(listener);
    close(caller);
    return connected;
}

TEST(Exchange, sumsBetweenProcesses) {
    for (const Transport& transport : transports())
        for (const unsigned processes : {2U, 3U}) {
            const auto time = allReduceTime(
                {.bytes = 100'004, .processes = processes, .transport = transport.id, .seconds = 0.05}, {});
            ASSERT_EQ(time.has_value(), transport.id != "tcp" || hasLoopback()) << transport.id << ' ' << processes;
            if (!time) continue;
            EXPECT_GT(*time, 1e-7);
            EXPECT_LT(*time, 5);
        }
    EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "no child is left";
    EXPECT_EQ(errno, ECHILD);
}

TEST(Exchange, endsWhatHangsAndWhatIsStopped) {
    const double started = seconds();
    // It would go on for a minute; the limit is reached before.
    EXPECT_FALSE(allReduceTime({.bytes = std::size_t{256} << 20U, .processes = 2, .seconds = 60, .limit = 0.1}, {}));
    std::stop_source stop;
    stop.request_stop();
    EXPECT_THROW(
        allReduceTime({.bytes = 4096, .processes = 2, .seconds = 60, .limit = 60}, {.cancel = stop.get_token()}),
        InterruptedError);
    EXPECT_LT(seconds() - started, 60) << "it went on";
    EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "no child is left";
    EXPECT_FALSE(allReduceTime({.bytes = 4, .processes = 2}, {})) << "fewer elements than processes";
    EXPECT_FALSE(allReduceTime({.bytes = 4096, .processes = 1}, {}));
}

// The machine ---------------------------------------------------------------------------------------------------------

class Folder : public testing::Test {
protected:
    void put(const std::string& path, const std::string& text) const {
        const std::filesystem::path file = folder_ / path;
        std::filesystem::create_directories(file.parent_path());
        std::ofstream(file) << text;
    }
    tessera::test::ScratchFolder folder_;
};

TEST_F(Folder, tellsWhatTheSystemSays) {
    const std::string cache = "sys/devices/system/cpu/cpu0/cache/index";
    put("proc/cpuinfo", "processor\t: 0\nmodel name\t: Abacus 9\n");
    put("proc/meminfo", "MemTotal:       2097152 kB\n");
    put("proc/loadavg", "0.25 1 2 3/4 5\n");
    put("sys/fs/cgroup/memory.max", "max\n");
    for (const auto& [index, level, type, size, sharers] : {std::array<const char*, 5>{"0", "1", "Data", "32K", "0"},
                                                            {"1", "1", "Instruction", "32K", "0"},
                                                            {"2", "3", "Unified", "8M", "0-3"},
                                                            {"3", "2", "Unified", "512K", "0"}}) {
        put(cache + index + "/level", level);
        put(cache + index + "/type", type);
        put(cache + index + "/size", size);
        put(cache + index + "/shared_cpu_list", sharers);
    }
    const Host host = hostOf(folder_.path().string());
    EXPECT_EQ(host.processor, "Abacus 9");
    EXPECT_EQ(host.memory, 2147483648.0);
    EXPECT_EQ(host.load, 0.25);
    ASSERT_EQ(host.caches.size(), 3U);
    EXPECT_EQ(host.caches[0].bytes, 32768);
    EXPECT_EQ(host.caches[1].level, 2);
    EXPECT_EQ(host.caches[2].bytes, 8388608);
    EXPECT_TRUE(host.caches[2].shared);
    EXPECT_FALSE(host.caches[1].shared);
    put("sys/fs/cgroup/memory.max", "1000000\n");
    EXPECT_EQ(hostOf(folder_.path().string()).memory, 1e6) << "what a container may use";
}

TEST_F(Folder, knowsNothingOfAnEmptySystem) {
    const Host host = hostOf(folder_.path().string());
    EXPECT_EQ(host.processor, "unknown processor");
    EXPECT_EQ(host.memory, 0);
    EXPECT_TRUE(host.caches.empty());
    EXPECT_GE(host.cores, 1U);
    EXPECT_EQ(cacheBytes("a lot"), 0);
}

TEST(ThisMachine, namesTheCachesOfItsCoresWhereTheSystemOrTheLibraryKnowsThem) {
    const std::vector<Cache> caches = hostOf().caches;
    if (sysconf(_SC_LEVEL1_DCACHE_SIZE) <= 0 && caches.empty()) GTEST_SKIP() << "neither knows any";
    ASSERT_FALSE(caches.empty());
    EXPECT_EQ(caches.front().level, 1);
    EXPECT_GE(caches.front().bytes, 4096);
    EXPECT_LE(caches.front().bytes, 1 << 20);
}

// All of it -----------------------------------------------------------------------------------------------------------

TEST_F(Folder, calibratesThisMachine) {
    Options options{.quick = true, .seconds = 4, .threads = 1, .kernels = requestsOf(step("zoo:lenet5"), {2, 8})};
    options.grid = false;
    std::set<std::string> reported;
    const double before = tessera::test::workMilliseconds();
    const Calibration made =
        calibrate(options, {.progress = [&](const ProgressEvent& event) { reported.insert(event.task); }});
    EXPECT_LT(tessera::test::workMilliseconds() - before, 10'000 * tessera::test::kSlowerBuild)
        << "about 4 s are given";
    EXPECT_EQ(reported, std::set<std::string>(tasks().begin(), tasks().end()));
    EXPECT_TRUE(made.kernels.unknown.empty());
    ASSERT_FALSE(made.kernels.measured.empty());
    EXPECT_EQ(made.kernels.measured[0].request.sizes, predict::KernelTable::Sizes{16}) << "the smallest comes first";

    const Files files = filesAt(folder_ / "new" / "mine.json");
    EXPECT_THROW(write(made, files), FileError) << "a folder that is not there may be a slip of the pen";
    std::filesystem::create_directory(folder_ / "new");
    write(made, files);
    EXPECT_EQ(files.kernels, folder_ / "new" / "mine.csv");
    const std::string text = readFile(files.accelerator);
    EXPECT_EQ(tessera::test::schemaErrors(nlohmann::json::parse(text), "accelerator.schema.json"), "");
    const JsonDocument document = JsonDocument::parse(text, files.accelerator.string());
    const hardware::Accelerator read = hardware::readAccelerator(document.root());
    EXPECT_EQ(read.kernels, "mine.csv");
    for (const char* path : {"peak_flops.fp32", "memory[0].bandwidth_bytes_per_s", "host_bandwidth_bytes_per_s",
                             "host_peak_flops", "all_reduce[0].bandwidth_bytes_per_s", "network_bits_per_s"}) {
        ASSERT_TRUE(read.provenance.contains(path)) << path;
        EXPECT_EQ(read.provenance.at(path).reliability, "measured");
        EXPECT_THAT(read.provenance.at(path).source,
                    testing::ContainsRegex("^measured by tessera calibrate on 2[0-9-]+, .*oneDNN .*, 1 thread"));
    }
    EXPECT_GT(read.launchOverhead.value, 0);
    if (read.efficiency.contains("gemm")) {
        EXPECT_LE(read.efficiency.at("gemm"), 1);
    }
    const std::string csv = readFile(files.kernels);
    const predict::KernelTable table = predict::readKernels(csv, files.kernels.string());
    EXPECT_EQ(table.rows(), made.kernels.measured.size());
    EXPECT_THAT(csv, testing::HasSubstr(made.agreement.sentence));

    // What was measured is what a prediction at a batch between the two uses.
    const predict::Workload workload = step("zoo:lenet5");
    const predict::Machine machine = predict::machineOf(read, table, "fp32");
    const auto costs = predict::operatorCosts(workload, machine, 4);
    const predict::OperatorShares shares = predict::sharesOf(workload, machine, costs, 4, 3);
    if (made.kernels.outOfTime.empty()) {  // else other things used the machine
        EXPECT_EQ(shares.measured, shares.operators);
    }
    EXPECT_GT(shares.time.value, 0);
}

TEST(Rates, arePeaksLevelsAndSums) {
    hardware::Accelerator accelerator;
    accelerator.peakFlops = {{"fp32", FlopsPerSecond{2e11}}, {"bf16", FlopsPerSecond{4e11}}};
    accelerator.memory = {{.name = "L1", .capacity = Bytes{32768}, .bandwidth = BytesPerSecond{2e11}},
                          {.name = "DRAM", .capacity = {}, .bandwidth = BytesPerSecond{1e10}}};
    accelerator.allReduce = {{.bytes = Bytes{1e6}, .devices = 2, .bandwidth = BytesPerSecond{1e9}}};
    std::vector<std::string> names;
    for (const Rate& rate : ratesOf(accelerator)) names.push_back(rate.name);
    EXPECT_THAT(names, testing::ElementsAre("peak bf16", "peak fp32", "L1", "DRAM", "all-reduce of 1 MB, 2 processes"));
    const std::vector<Rate> rates = ratesOf(accelerator);
    EXPECT_EQ(rates[1].measure, Measure::flopsPerSecond);
    EXPECT_EQ(rates[1].value, 2e11);
    EXPECT_EQ(rates[2].capacity, Bytes{32768});
    EXPECT_FALSE(rates[3].capacity);
}

TEST(Places, keepKernelsBesideTheAccelerator) {
    EXPECT_EQ(filesAt("mine.json").kernels, "mine.csv");
    EXPECT_EQ(filesAt("mine.csv").kernels, "mine.csv.kernels.csv") << "never the same file";
    EXPECT_EQ(filesInLibrary("mine").accelerator.filename(), "mine.json");
    EXPECT_EQ(filesInLibrary("mine").kernels.parent_path().filename(), "kernels");
}

TEST_F(Folder, saysThatAMachineWasNoisy) {
    Calibration made;
    made.measuredBy = "measured by a test";
    made.accelerator.name = "noisy";
    made.kernels.measured = {{.request = {.kernel = "gemm", .sizes = {1, 2, 3}},
                              .passes = {{.seconds = 1, .kept = 3}, {.seconds = 2, .kept = 3}}}};
    made.agreement = agreementOf(made.kernels.measured);
    EXPECT_THAT(kernelCsv(made),
                testing::HasSubstr("# This machine was noisy, so that these times are not to be relied on"));
    EXPECT_THAT(kernelCsv(made), testing::HasSubstr("gemm,1x2x3,fp32,1.5\n"));
}

TEST(Calibrating, stopsAtOnce) {
    std::stop_source stop;
    std::jthread later([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        stop.request_stop();
    });
    const double started = seconds();
    Options options;
    options.threads = 1;
    EXPECT_THROW(calibrate(options, {.cancel = stop.get_token()}), InterruptedError);
    EXPECT_LT(seconds() - started, 3);
}

}  // namespace
}  // namespace tessera::calibrate::test
