#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "core/base/json.h"
#include "core/predict/prediction.h"
#include "tests/core/predict/machines.h"
#include "tests/support/paths.h"

/// Cases that an independent program worked by the closed forms; all hold to 1e-9.
namespace tessera::predict::test {
namespace {

constexpr double kTolerance = 1e-9;

void expectClose(double ours, double theirs, const std::string& what) {
    EXPECT_LE(std::fabs(ours - theirs), kTolerance * std::max(1.0, std::fabs(theirs)))
        << what << ": " << ours << " is not " << theirs;
}

std::vector<Json> casesOf(const std::string& kind) {
    const JsonDocument document = JsonDocument::load(tessera::test::sourcePath("tests/data/centimani/cases.json"));
    std::vector<Json> found;
    for (const Json& one : document.json())
        if (one.at("kind") == kind) found.push_back(one);
    return found;
}

/// What the closed form sums up of a model: elements of one sample.
struct Layers {
    double input = 0, made = 0, largest = 0, parameters = 0;
    void add(double read, double out) {
        made += out;
        largest = std::max(largest, read + out);
    }
};

/// BERT-large as the cases describe it, layer by layer.
Layers bertLarge(double sequence) {
    constexpr double kHidden = 1024, kHeads = 16, kInner = 4096, kVocabulary = 30522, kLayers = 24, kPositions = 512;
    const double tokens = sequence * kHidden, scores = kHeads * sequence * sequence;
    Layers layers;
    layers.input = sequence;
    layers.add(sequence, tokens);
    for (int layer = 0; layer < static_cast<int>(kLayers); ++layer) {
        for (int projection = 0; projection < 3; ++projection) layers.add(tokens, tokens);
        layers.add(2 * tokens, scores);
        layers.add(scores, scores);
        layers.add(scores, scores);
        layers.add(scores + tokens, tokens);
        layers.add(tokens, tokens);
        layers.add(2 * tokens, tokens);
        layers.add(tokens, sequence * kInner);
        layers.add(sequence * kInner, sequence * kInner);
        layers.add(sequence * kInner, tokens);
        layers.add(2 * tokens, tokens);
    }
    layers.add(kHidden, kHidden);
    layers.add(tokens, sequence * kVocabulary);
    const double block = 4 * (kHidden * kHidden + kHidden) + 2 * kHidden * kInner + kInner + kHidden + 4 * kHidden;
    layers.parameters =
        (kVocabulary + kPositions + 2) * kHidden + 2 * kHidden + kLayers * block + kHidden * kHidden + kHidden;
    return layers;
}

Layers layersOf(const Json& one) {
    const auto& name = one.at("model").get_ref<const std::string&>();
    if (name == "bert-large") return bertLarge(512);
    if (name == "bert-large-128") return bertLarge(128);
    const Workload resnet = workload("zoo:" + name);
    return {.input = resnet.layerInput,
            .made = resnet.layerOutput,
            .largest = resnet.largestLayer,
            .parameters = resnet.parameters};
}

TEST(Cases, memoryOfTheClosedForm) {
    const std::map<std::string, std::size_t> momenta{{"sgd", 0}, {"sgdm", 1}, {"adam", 2}};
    const std::vector<Json> cases = casesOf("memory");
    ASSERT_EQ(cases.size(), 27U);
    for (const Json& one : cases) {
        const Layers layers = layersOf(one);
        const Precision precision{
            .dtype = "any", .bytes = one.at("elem_bytes").get<double>(), .master = one.at("mixed").get<bool>()};
        const CategoryBytes ours =
            closedForm(layers.input, layers.made, layers.largest, layers.parameters, one.at("batch").get<double>(),
                       precision, momenta.at(one.at("optimizer").get<std::string>()));
        const std::array<const char*, kCategories> names{"io", "wb", "grad", "alg", "eph"};
        for (std::size_t c = 0; c < kCategories; ++c)
            expectClose(ours[c], one.at("expect").at(names[c]).get<double>(), one.dump() + " " + names[c]);
        expectClose(sumOf(ours), one.at("total").get<double>(), one.dump() + " total");
    }
}

TEST(Cases, closedFormOfTheGraph) {
    const Workload resnet = workload("zoo:resnet50", "fp16", model::Optimizer::momentum);
    const CategoryBytes ours = closedForm(resnet, 16);
    expectClose(ours[0], 1206729984, "input and output");
    expectClose(ours[2], 230412528, "gradients");
}

TEST(Cases, batchByEquationFive) {
    const std::vector<Json> cases = casesOf("eq5");
    ASSERT_EQ(cases.size(), 12U);
    std::size_t withoutBatch = 0;
    for (const Json& one : cases) {
        ASSERT_EQ(one.at("est"), "on=0.1*P+s*A*b, off=P+A*b");
        const auto number = [&](const char* key) { return one.at(key).get<double>(); };
        const Occupancy limit{.onChip = number("on"), .offChip = number("off")};
        std::vector<BatchCandidate> candidates;
        for (const Json& batch : one.at("candidates")) {
            const double b = batch.get<double>();
            BatchCandidate& candidate = candidates.emplace_back();
            candidate.batch = batch.get<std::int64_t>();
            candidate.estimate = {.onChip = 0.1 * number("P") + number("s") * number("A") * b,
                                  .offChip = number("P") + number("A") * b};
            candidate.fits = within(candidate.estimate, limit);
        }
        const std::optional<std::size_t> chosen = chooseBatch(candidates, limit);
        const Json& expected = one.at("expect").at("batch");
        ASSERT_EQ(chosen.has_value(), !expected.is_null()) << one.dump();
        if (!chosen) {
            ++withoutBatch;
            continue;
        }
        EXPECT_EQ(candidates[*chosen].batch, expected.get<std::int64_t>()) << one.dump();
        expectClose(objectiveOf(candidates[*chosen].estimate, limit), one.at("expect").at("objective").get<double>(),
                    one.dump());
    }
    EXPECT_GT(withoutBatch, 0U);
}

TEST(Cases, roofline) {
    const std::vector<Json> cases = casesOf("roofline");
    ASSERT_EQ(cases.size(), 8U);
    for (const Json& one : cases)
        expectClose(rooflineTime({one.at("flop").get<double>()}, one.at("ai").get<double>(),
                                 {one.at("peak").get<double>()}, {one.at("bw").get<double>()})
                        .value,
                    one.at("expect_seconds").get<double>(), one.dump());
}

TEST(Cases, allReduceOfTheBundledAccelerators) {
    const std::vector<Json> cases = casesOf("allreduce");
    ASSERT_EQ(cases.size(), 4U);
    for (const Json& one : cases) {
        const Bytes bytes{one.at("bytes").get<double>()};
        const double seconds = one.at("expect_seconds").get<double>();
        expectClose(measuredTime(bytes, {one.at("bw_GBps").get<double>() * 1e9}).value, seconds, one.dump());
        const hardware::Accelerator of = hardware::loadAccelerator(one.at("platform").get<std::string>());
        const AllReduce exchange{.bytes = bytes, .devices = 8, .rate = {}, .latency = {}, .measured = &of.allReduce};
        expectClose(collectiveNamed("measured").time(exchange)->value, seconds, of.name);
    }
}

TEST(Cases, overlap) {
    const std::vector<Json> cases = casesOf("overlap");
    ASSERT_EQ(cases.size(), 4U);
    for (const Json& one : cases)
        expectClose(stepTime({one.at("t_load").get<double>()}, {one.at("t_comp").get<double>()},
                             {one.at("t_comm").get<double>()}, one.at("async_ps").get<bool>())
                        .value,
                    one.at("expect").get<double>(), one.dump());
}

}  // namespace
}  // namespace tessera::predict::test
