#include "core/base/input_files.h"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "core/base/file.h"
#include "tests/support/scratch_folder.h"

namespace tessera {
namespace {

class Inputs : public testing::Test {
protected:
    Inputs() {
        writeFile(folder_ / "a.txt", "a");
        writeFile(folder_ / "b.txt", "b");
    }
    std::string read(const std::shared_ptr<InputFiles>& files, const char* name) const {
        const InputScope scope(files);
        return readFile(folder_ / name);
    }
    /// What both files say together, and how often it was put together.
    std::string both(const std::shared_ptr<InputFiles>& files, const std::string& name = "both") {
        const InputScope scope(files);
        return *madeOfInputs(name, [&] {
            ++made_;
            return readFile(folder_ / "a.txt") + readFile(folder_ / "b.txt");
        });
    }

    test::ScratchFolder folder_;
    int made_ = 0;
};

TEST_F(Inputs, thatDifferFromOthersReadTheRestAsTheirs) {
    const auto others = std::make_shared<InputFiles>();
    const auto differing = std::make_shared<InputFiles>(others);
    differing->give(folder_ / "a.txt", "other");
    EXPECT_EQ(read(differing, "a.txt"), "other");
    EXPECT_EQ(read(others, "a.txt"), "a");
    EXPECT_EQ(read(differing, "b.txt"), "b");
    writeFile(folder_ / "b.txt", "changed");
    EXPECT_EQ(read(others, "b.txt"), "b") << "read already, and kept with the others";
    EXPECT_EQ(read(std::make_shared<InputFiles>(others), "b.txt"), "b");
    others->redirect("name", "place");
    EXPECT_EQ(differing->placeOf("name"), "place");
    differing->redirect("name", "elsewhere");
    EXPECT_EQ(differing->placeOf("name"), "elsewhere");
    EXPECT_EQ(others->placeOf("name"), "place");
}

TEST_F(Inputs, areMadeIntoValuesOnceForTheSameBytes) {
    const auto files = std::make_shared<InputFiles>();
    EXPECT_EQ(both(files), "ab");
    EXPECT_EQ(both(files), "ab");
    EXPECT_EQ(made_, 2) << "nobody keeps them";
    files->keepMade(2);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(both(files), "ab");
    EXPECT_EQ(made_, 3);
    EXPECT_EQ(both(files, "another name"), "ab");
    EXPECT_EQ(made_, 4);

    const auto differing = std::make_shared<InputFiles>(files);
    differing->give(folder_ / "c.txt", "c");
    EXPECT_EQ(both(differing), "ab") << "which was not read for it";
    EXPECT_EQ(made_, 4);
    differing->give(folder_ / "b.txt", "other");
    EXPECT_EQ(both(differing), "aother");
    EXPECT_EQ(made_, 5);
    EXPECT_EQ(both(differing), "aother");
    EXPECT_EQ(both(files), "ab") << "still";
    EXPECT_EQ(made_, 5);
    EXPECT_EQ(both(files, "another name"), "ab") << "used longest ago, and no longer kept";
    EXPECT_EQ(made_, 6);
}

TEST_F(Inputs, ofAValueWithinAnotherOneCountForBoth) {
    const auto files = std::make_shared<InputFiles>();
    files->keepMade(8);
    const auto outer = [&](const std::shared_ptr<InputFiles>& of) {
        const InputScope scope(of);
        return *madeOfInputs("outer", [&] { return "<" + both(of) + ">"; });
    };
    EXPECT_EQ(both(files), "ab");
    EXPECT_EQ(outer(files), "<ab>") << "of an inner value that was there already";
    const auto differing = std::make_shared<InputFiles>(files);
    differing->give(folder_ / "a.txt", "x");
    EXPECT_EQ(outer(differing), "<xb>");
}

TEST_F(Inputs, thatCannotBeMadeIntoAValueAreAskedAgain) {
    const auto files = std::make_shared<InputFiles>();
    files->keepMade(8);
    const InputScope scope(files);
    const auto fail = []() -> int { throw std::runtime_error("no"); };
    EXPECT_THROW(madeOfInputs("n", fail), std::runtime_error);
    EXPECT_EQ(*madeOfInputs("n", [] { return 3; }), 3);
    EXPECT_EQ(*madeOfInputs("n", [] { return std::string("of another type"); }), "of another type");
}

TEST_F(Inputs, areReadByManyThreadsAtOnce) {
    const auto files = std::make_shared<InputFiles>();
    files->keepMade(4);
    std::vector<std::string> found(4);
    {
        std::vector<std::jthread> threads;
        for (std::size_t i = 0; i < found.size(); ++i)
            threads.emplace_back([&, i] {
                for (int round = 0; round < 50; ++round) {
                    const auto own = std::make_shared<InputFiles>(files);
                    if (i % 2 == 1) own->give(folder_ / "a.txt", "x");
                    const InputScope scope(own);
                    found[i] = *madeOfInputs("text",
                                             [&] { return readFile(folder_ / "a.txt") + readFile(folder_ / "b.txt"); });
                }
            });
    }
    EXPECT_EQ(found, (std::vector<std::string>{"ab", "xb", "ab", "xb"}));
}

}  // namespace
}  // namespace tessera
