#include "core/base/made_file.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/input_files.h"

namespace tessera {
namespace {

class MadeFile : public testing::Test {
protected:
    MadeFile() {
        setFileMaker({.prefix = "toy:",
                      .has = [](const std::string& name) { return name == "toy:there"; },
                      .bytes =
                          [this](const std::string& name) {
                              ++made_;
                              if (name != "toy:there") throw FileError(name + ": is not there");
                              return std::string("made");
                          }});
    }
    ~MadeFile() override { setFileMaker({.prefix = {}, .has = {}, .bytes = {}}); }
    int made_ = 0;
};

TEST_F(MadeFile, isReadLikeAnyOther) {
    EXPECT_TRUE(isFile("toy:there"));
    EXPECT_FALSE(isFile("toy:other"));
    EXPECT_EQ(readFile("toy:there"), "made");
    EXPECT_THROW((void)readFile("toy:other"), FileError);
    EXPECT_THROW((void)readFile("toy:there", 3), DataError) << "larger than its reader takes";
    EXPECT_FALSE(isMadeFile("other:there"));
}

TEST_F(MadeFile, isMadeOnceForARunAndNotAtAllWhereItWasGiven) {
    const auto files = std::make_shared<InputFiles>();
    const InputScope scope(files);
    EXPECT_EQ(readFile("toy:there"), "made");
    EXPECT_EQ(readFile("toy:there"), "made");
    EXPECT_EQ(made_, 1);
    files->give("toy:other", "given");
    EXPECT_TRUE(isFile("toy:other"));
    EXPECT_EQ(readFile("toy:other"), "given");
    EXPECT_EQ(made_, 1);
}

TEST_F(MadeFile, isNoneOnceNobodyMakesThem) {
    setFileMaker({.prefix = {}, .has = {}, .bytes = {}});
    EXPECT_FALSE(isMadeFile("toy:there"));
    EXPECT_FALSE(isFile("toy:there"));
    EXPECT_THROW((void)readFile("toy:there"), FileError);
}

}  // namespace
}  // namespace tessera
