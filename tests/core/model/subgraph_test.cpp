#include "core/model/subgraph.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/model/model.h"
#include "core/model/readers/native_json.h"
#include "core/model/zoo/zoo.h"

namespace tessera::model {
namespace {

class Subgraph : public testing::TestWithParam<const char*> {};

TEST_P(Subgraph, twoPartsAreTheWhole) {
    const Graph whole = buildZooModel(GetParam());
    const Summary counted = summarise(whole);
    for (const std::size_t cut : {std::size_t{1}, whole.operators.size() / 2, whole.operators.size() - 1}) {
        std::vector<bool> first(whole.operators.size());
        for (std::size_t i = 0; i < cut; ++i) first[i] = true;
        std::vector<bool> second = first;
        second.flip();
        const Graph front = subgraph(whole, first, "front"), back = subgraph(whole, second, "back");
        EXPECT_EQ(front.operators.size() + back.operators.size(), whole.operators.size());
        const Summary a = summarise(front), b = summarise(back);
        EXPECT_EQ(*a.macs + *b.macs, *counted.macs) << cut;
        EXPECT_GE(*a.parameters + *b.parameters, *counted.parameters) << "what both read both hold";
        // What the front hands on, the back takes.
        for (const TensorIndex input : back.inputs) {
            const std::string& name = back.tensor(input).name;
            bool isMade = false;
            for (const TensorIndex output : front.outputs) isMade = isMade || front.tensor(output).name == name;
            for (const TensorIndex given : whole.inputs) isMade = isMade || whole.tensor(given).name == name;
            EXPECT_TRUE(isMade) << name;
        }
        // It is a model like any other.
        EXPECT_EQ(writeNativeJson(readNativeJson(writeNativeJson(back), "back.json")), writeNativeJson(back)) << cut;
    }
}

INSTANTIATE_TEST_SUITE_P(OfTheZoo, Subgraph, testing::Values("lenet5", "resnet18", "gpt2", "llama2-7b"),
                         [](const auto& tested) {
                             std::string name = tested.param;
                             for (char& c : name)
                                 if (c == '-') c = '_';
                             return name;
                         });

TEST(SubgraphOf, nothingIsRefused) {
    const Graph whole = buildZooModel("lenet5");
    EXPECT_THROW((void)subgraph(whole, std::vector<bool>(whole.operators.size()), "none"), UsageError);
}

}  // namespace
}  // namespace tessera::model
