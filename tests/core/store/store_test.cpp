#include "core/store/store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/study/study.h"
#include "tests/support/partition_result.h"

namespace tessera::store {
namespace {

TEST(Store, keepsARunWithItsResult) {
    Store store = Store::inMemory();
    const study::Result result = test::handMadeResult();
    const RunId run = store.addRun(result.study);
    EXPECT_EQ(store.run(run)->status, RunStatus::running);
    store.finishRun(run, result, "fine");
    const auto row = store.run(run);
    ASSERT_TRUE(row);
    EXPECT_EQ(row->status, RunStatus::done);
    EXPECT_EQ(row->headline, "fine");
    EXPECT_EQ(store.study(run), result.study);
    EXPECT_EQ(Json::parse(*store.resultText(run)), study::toJson(result));
    EXPECT_EQ(store.query({}, 10).size(), 1U);
}

}  // namespace
}  // namespace tessera::store
