#include "core/physical/validation.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/hardware/library.h"
#include "core/physical/device.h"
#include "tests/support/paths.h"

namespace tessera::physical {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

JudgedTable judged(const std::string& text, const std::string& file = "mine.csv") {
    return {readMeasuredTable(text, file), {}};
}

JudgedTable bundled(const std::string& name) {
    return judged(readFile(test::sourcePath("data/measured/" + name)), name);
}

std::vector<PeerErrors> bundledPeers() {
    return readPeers(bundled("baselines.csv").table);
}

template <typename Error>
std::string validationError(const std::vector<JudgedTable>& tables, const std::vector<std::string>& sets = {}) {
    try {
        validate(tables, {}, sets);
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

std::vector<std::string> namesOfSets(const Validation& validation) {
    std::vector<std::string> names;
    for (const ValidationSet& set : validation.sets) names.push_back(set.set);
    return names;
}

constexpr const char* kTrainingHeader = "set,id,model,dims,accelerator,metric,value\n";
constexpr const char* kScheduleHeader = "table,model,stages,micro_batch,microbatches,schedule,quantity,value\n";

TEST(Validation, anErrorIsRelativeButOfSharesTheDifferenceAndOneWhereRefused) {
    ValidationRow row{.measured = 4, .prediction = {.estimate = Estimate{5, 4, 6}}};
    EXPECT_DOUBLE_EQ(errorOf(row), 0.25);
    row.absolute = true;
    EXPECT_DOUBLE_EQ(errorOf(row), 1);
    row.prediction = {.refused = "no"};
    EXPECT_EQ(errorOf(row), 1);
}

TEST(Validation, ranksThatAgreeCorrelateFullyAndTiesShareTheirRank) {
    EXPECT_DOUBLE_EQ(*spearmanOf({1, 2, 3, 10}, {1, 4, 9, 11}), 1);
    EXPECT_DOUBLE_EQ(*spearmanOf({1, 2, 3}, {3, 2, 1}), -1);
    EXPECT_NEAR(*spearmanOf({1, 2, 2, 3}, {1, 2, 3, 4}), 0.9487, 1e-4);
    EXPECT_FALSE(spearmanOf({1, 1}, {1, 2}));
    EXPECT_FALSE(spearmanOf({}, {}));
}

TEST(Validation, rowsAreSummedUpAndAnEmptyChoiceHasNoError) {
    std::vector<ValidationRow> rows{{.measured = 4, .prediction = {.estimate = Estimate{5, 3, 6}}, .error = 0.25},
                                    {.measured = 4, .prediction = {.estimate = Estimate{2, 1, 3}}, .error = 0.5},
                                    {.measured = 4, .prediction = {.refused = "no"}}};
    EXPECT_TRUE(isInsideBar(rows[0]));
    EXPECT_FALSE(isInsideBar(rows[1]));
    EXPECT_FALSE(isInsideBar(rows[2]));
    const ErrorSummary all = errorSummaryOf({&rows[0], &rows[1], &rows[2]});
    EXPECT_EQ(all.predicted, 2U);
    EXPECT_DOUBLE_EQ(all.mean, 1.75 / 3);
    EXPECT_DOUBLE_EQ(all.median, 0.5);
    EXPECT_DOUBLE_EQ(*all.coverage, 0.5);
    const ErrorSummary none = errorSummaryOf({});
    EXPECT_EQ(none.rows, 0U);
    EXPECT_EQ(none.worst, 0);
}

TEST(Validation, theBestPeerHasAnErrorForAllRowsOrForEveryPartOfThem) {
    ErrorSummary errors{.rows = 10};
    EXPECT_FALSE(bestPeerOf(errors));
    EXPECT_FALSE(bestPeerOf(ErrorSummary{})) << "no rows, no peer";
    const auto add = [&](const std::string& part, std::size_t rows, double mean) {
        PeerErrors peer;
        peer.part = part;
        peer.rows = rows;
        peer.mean = mean;
        errors.peers.push_back(peer);
    };
    add("a", 6, 0.1);
    add("b", 3, 0.5);
    EXPECT_FALSE(bestPeerOf(errors)) << "a row is left out";
    add("c", 1, 0.9);
    EXPECT_DOUBLE_EQ(*bestPeerOf(errors), (0.6 + 1.5 + 0.9) / 10);
    add("", 10, 0.4);
    add("", 10, 0.2);
    EXPECT_DOUBLE_EQ(*bestPeerOf(errors), 0.2);
}

TEST(Validation, rowsKnowTheirTableAndProgressCountsThem) {
    std::vector<double> done;
    RunControl control;
    control.progress = [&](const ProgressEvent& event) {
        EXPECT_EQ(event.total, 3);
        done.push_back(event.done);
    };
    const std::string head(kTrainingHeader);
    const Validation validation = validate({judged(head + "x,a,zoo:gpt,layers=2,a100,step_s,2\n", "one.csv"),
                                            judged(head + "y,b,zoo:gpt,layers=2,a100,step_s,2\n"
                                                          "y,c,zoo:gpt,layers=2,a100,step_s,2\n",
                                                   "two.csv")},
                                           {}, {}, control);
    EXPECT_THAT(done, ElementsAre(0, 1));
    EXPECT_THAT(validation.kinds, ElementsAre("training", "training"));
    EXPECT_EQ(validation.files.at(validation.rows.at(0).file), "one.csv");
    EXPECT_EQ(validation.files.at(validation.rows.at(2).file), "two.csv");
}

TEST(Validation, stepsOfModelsThatAreNotSaidAreRefusedAndCountAsWhollyWrong) {
    const Validation validation =
        validate({judged(std::string(kTrainingHeader) + "mine,a,zoo:gpt,layers=2,a100,step_s,2\n"
                                                        "mine,b,zoo:gpt,layers=2,a100,memory_bytes,1e9\n")},
                 {});
    ASSERT_EQ(validation.sets.size(), 1U);
    const ValidationSet& set = validation.sets.front();
    EXPECT_EQ(set.errors.rows, 2U);
    EXPECT_EQ(set.errors.predicted, 0U);
    EXPECT_EQ(set.errors.mean, 1);
    EXPECT_EQ(set.errors.median, 1);
    EXPECT_FALSE(set.errors.spearman);
    EXPECT_FALSE(set.errors.coverage);
    EXPECT_EQ(set.parts.size(), 2U);
    EXPECT_THAT(set.refusals, ElementsAre(std::pair<std::string, std::size_t>{
                                  "zoo:gpt needs layers, hidden and heads among its dimensions", 2}));
}

TEST(Validation, everyBundledTrainingRowStandsInItsSet) {
    const Validation validation = validate({bundled("training.csv")}, bundledPeers());
    EXPECT_EQ(validation.rows.size(), 1419U);
    EXPECT_EQ(validation.sets.size(), 20U);
    EXPECT_THAT(namesOfSets(validation), testing::Contains("vtrain-multi"));
    for (const ValidationSet& set : validation.sets) {
        if (set.set != "vtrain-multi") continue;
        EXPECT_EQ(set.errors.rows, 55U);
        EXPECT_EQ(set.errors.peers.size(), 3U);
    }
}

TEST(Validation, bubbleSharesOfThePaperAreMet) {
    const Validation validation = validate({bundled("schedules.csv")}, {});
    ASSERT_EQ(validation.sets.size(), 1U);
    const ErrorSummary& errors = validation.sets.front().errors;
    EXPECT_EQ(errors.rows, 36U);
    EXPECT_EQ(errors.predicted, 36U);
    for (const ValidationPart& part : validation.sets.front().parts) EXPECT_LE(part.errors.worst, 0.001) << part.part;
    EXPECT_EQ(errors.coverage, 1);
}

TEST(Validation, aScheduleWithoutItsProfileIsRefused) {
    const std::string share = "t5,m,4,1,8,1f1b,bubble_share,0.2\n";
    const auto refusal = [](const std::string& rows) {
        return validate({judged(kScheduleHeader + rows)}, {}).rows.front().prediction.refused;
    };
    EXPECT_THAT(refusal(share), HasSubstr("no profile (t9)"));
    const std::string profile =
        "t9,m,4,1,8,,forward_s,1\nt9,m,4,1,8,,backward_input_s,1\nt9,m,4,1,8,,backward_weight_s,1\n"
        "t9,m,4,1,8,,communication_s,0\n";
    EXPECT_THAT(refusal(profile + share), HasSubstr("the shape (t3)"));
    const std::string shape =
        "t3,m,4,1,,,layers,6\nt3,m,4,1,,,heads,8\nt3,m,4,1,,,hidden,512\nt3,m,4,1,,,sequence,64\n";
    EXPECT_EQ(refusal(shape + profile + share), "");
    EXPECT_THAT(refusal(shape + profile + "t5,m,4,1,8,mine,bubble_share,0.2\n"), HasSubstr("'mine' is not known"));
}

TEST(Validation, collectivesAreBetterThanLatencyAndBandwidth) {
    const Validation validation = validate({bundled("collectives.csv")}, bundledPeers());
    EXPECT_EQ(validation.rows.size(), 554U);
    for (const ValidationSet& set : validation.sets) {
        EXPECT_EQ(set.errors.predicted, set.errors.rows) << set.set;
        ASSERT_EQ(set.errors.peers.size(), 1U) << set.set;
        EXPECT_LT(set.errors.mean, set.errors.peers.front().mean) << set.set;
    }
}

TEST(Validation, kernelsOfAFileAreJudgedByTheAcceleratorOfItsName) {
    const Validation known = validate({bundled("kernels/v100.csv")}, bundledPeers());
    ASSERT_EQ(namesOfSets(known), std::vector<std::string>{"kernels-v100"});
    EXPECT_EQ(known.rows.size(), 1042U);
    EXPECT_GT(known.sets.front().errors.predicted, 0U);
    for (const ValidationPart& part : known.sets.front().parts)
        if (part.part == "gemm") {
            ASSERT_EQ(part.errors.peers.size(), 1U);
            EXPECT_LT(part.errors.mean, part.errors.peers.front().mean);
        }
    const Validation unknown = validate({judged("kernel,shape,dtype,seconds\nrelu,8,fp16,1e-5\n", "toaster.csv")}, {});
    EXPECT_THAT(unknown.rows.front().prediction.refused, HasSubstr("no datasheet of the accelerator 'toaster'"));
}

/// A table of products, a few with half as much again, as the form has them on an accelerator.
std::string productTable(const std::string& accelerator) {
    const Device device = deviceOf(hardware::loadBundledAccelerator(accelerator));
    std::string rows = "kernel,shape,dtype,seconds\n";
    for (double m = 128; m <= 4096; m *= 2)
        for (double n = 512; n <= 4096; n *= 2)
            rows += fmt::format("gemm,{:.0f}x{:.0f}x1024,fp16,{}\n", m, n,
                                1.4 * gemmSeconds({1, m, n, 1024, 2, 2}, machineOf(device, "fp16"),
                                                  productParametersOf(device, "fp16").parameters));
    return rows;
}

TEST(Validation, kernelsOfAnyBundledAcceleratorArePredicted) {
    for (const std::string name : {"l4", "a100-40gb", "h200", "p4", "mi210"}) {
        const Validation validation = validate({judged(productTable(name), name + ".csv")}, {});
        ASSERT_EQ(namesOfSets(validation), std::vector<std::string>{"kernels-" + name});
        EXPECT_EQ(validation.sets.front().errors.predicted, 24U) << name;
        EXPECT_LT(validation.sets.front().errors.mean, 0.06) << name;
    }
}

TEST(Validation, ranksEndWhereAValueIsNoNumber) {
    const double none = std::nan("");
    EXPECT_TRUE(spearmanOf({none, 1, none}, {1, 2, 3}).has_value());
}

// The fit of few shapes may see a term of none of them: here the bytes of memory, since all fit into the cache.
TEST(Validation, ofShapesOfWhoseTermsAFitSawNoneTheFormIsAboveZero) {
    std::string rows = "kernel,shape,dtype,seconds\n";
    for (const int size : {1000, 20000, 300000, 4000000}) rows += fmt::format("add,{},fp16,{}\n", size, size * 4e-12);
    rows += "add,400000000,fp16,8e-3\n";
    const Validation validation = validate({judged(rows, "h200.csv")}, {});
    for (const ValidationRow& row : validation.rows) {
        ASSERT_TRUE(row.prediction.estimate) << row.id << row.prediction.refused;
        EXPECT_GT(row.prediction.estimate->value, 0) << row.id;
    }
}

TEST(Validation, ofFewKernelsTheFormIsScaledAndTheIntervalIsWide) {
    const std::string rows =
        "kernel,shape,dtype,seconds\nattention,4x32x32x1024x128,fp16,4e-3\nattention,4x32x32x2048x128,fp16,1.3e-2\n"
        "attention,1x32x32x4096x128,fp16,1.2e-2\ngemm,4096x4096x4096,fp16,1.5e-3\n"
        "gemm,4096x11008x4096,fp16,4e-3\ngemm,128x4096x4096,fp16,1.4e-4\n";
    const Validation validation = validate({judged(rows, "l4.csv")}, {});
    for (const ValidationRow& row : validation.rows) {
        ASSERT_TRUE(row.prediction.estimate) << row.id;
        EXPECT_LT(errorOf(row), 0.6) << row.id;
        EXPECT_LE(row.prediction.estimate->low, row.measured) << row.id;
        EXPECT_GE(row.prediction.estimate->high, row.measured) << row.id;
    }
}

TEST(Validation, aColumnMayNameTheAccelerator) {
    const Validation validation = validate(
        {judged("kernel,shape,dtype,seconds,accelerator\nrelu,1048576,fp16,1e-5,l4\nrelu,1048576,fp16,2e-5,a30\n"
                "relu,2097152,fp16,3e-5,l4\nrelu,8,fp16,1e-5,toaster\n")},
        {});
    EXPECT_THAT(namesOfSets(validation), ElementsAre("kernels-l4", "kernels-a30", "kernels-toaster"));
    EXPECT_TRUE(validation.rows[0].prediction.estimate.has_value());
    EXPECT_TRUE(validation.rows[1].prediction.estimate.has_value());
    EXPECT_THAT(validation.rows[3].prediction.refused,
                AllOf(HasSubstr("no datasheet of the accelerator 'toaster'"), HasSubstr("a100-40gb"), HasSubstr("l4")));
}

TEST(Validation, setsAreChosenByTheirNamesOrTheirKind) {
    const std::string rows =
        std::string(kTrainingHeader) + "one,a,m,layers=2,x,step_s,1\ntwo,b,m,layers=2,x,step_s,1\n";
    EXPECT_THAT(namesOfSets(validate({judged(rows)}, {}, {"two"})), ElementsAre("two"));
    EXPECT_THAT(namesOfSets(validate({judged(rows)}, {}, {"training"})), ElementsAre("one", "two"));
    JudgedTable narrowed = judged(rows);
    narrowed.sets = {"one"};
    EXPECT_THAT(namesOfSets(validate({narrowed}, {})), ElementsAre("one"));
    EXPECT_THAT(validationError<UsageError>({judged(rows)}, {"tow"}),
                HasSubstr("there is no set 'tow'; did you mean "));
    narrowed.sets = {"three"};
    EXPECT_THAT(validationError<UsageError>({narrowed}), HasSubstr("there is no set 'three'"));
}

TEST(Validation, wrongTablesAndCellsAreNamed) {
    EXPECT_THAT(validationError<DataError>({judged("a,b\n1,2\n")}),
                testing::StartsWith("mine.csv: header: found 'a,b'; expected the columns "));
    EXPECT_EQ(validationError<DataError>({judged("kernel,shape,dtype,seconds\ngemm,8y8,fp16,1\n")}),
              "mine.csv:2: field 'shape' is '8y8'; expected sizes joined by 'x', such as 1024x768x3072");
    EXPECT_EQ(validationError<DataError>({judged("kernel,shape,dtype,seconds\ngemm,8x8x8,fp16,-1\n")}),
              "mine.csv:2: field 'seconds' is '-1'; expected a number above 0");
    const std::string collectives = "system,operation,accelerators,per_node,bytes,seconds\n";
    EXPECT_EQ(validationError<DataError>({judged(collectives + "a100,sum,8,8,1,1\n")}),
              "mine.csv:2: field 'operation' is 'sum'; expected one of all_reduce, all_gather, reduce_scatter, "
              "all_to_all, send_recv, broadcast");
    EXPECT_EQ(validationError<DataError>({judged(collectives + "a100,all_reduce,2,8,1,1\n")}),
              "mine.csv:2: field 'per_node' is '8'; expected at most the accelerators");
}

TEST(Validation, threadsNeverChangeAResult) {
    const std::vector<JudgedTable> tables{bundled("collectives.csv")};
    const Validation one = validate(tables, {}, {}, {.threads = 1}), four = validate(tables, {}, {}, {.threads = 4});
    ASSERT_EQ(one.rows.size(), four.rows.size());
    for (std::size_t i = 0; i < one.rows.size(); ++i)
        EXPECT_EQ(one.rows[i].prediction.estimate->value, four.rows[i].prediction.estimate->value);
}

TEST(Validation, stopsWhenItIsAskedTo) {
    std::stop_source source;
    source.request_stop();
    EXPECT_THROW(validate({bundled("schedules.csv")}, {}, {}, {.cancel = source.get_token()}), InterruptedError);
}

}  // namespace
}  // namespace tessera::physical
