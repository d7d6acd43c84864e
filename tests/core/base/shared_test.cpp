#include "core/base/shared.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/base/index_lists.h"
#include "core/base/repeated.h"

namespace tessera {
namespace {

TEST(Shared, readsLikeItsValueAndIsOneForAllCopies) {
    const Shared<std::vector<int>> empty, list(std::vector<int>{1, 2});
    const Shared<std::vector<int>> copy = list, equal(std::vector<int>{1, 2});
    EXPECT_EQ(&*copy, &*list);
    EXPECT_NE(&*equal, &*list);
    EXPECT_EQ(equal, list);
    EXPECT_NE(empty, list);
    EXPECT_TRUE(empty->empty());
    EXPECT_EQ(std::vector<int>(list.begin(), list.end()), *list);
    EXPECT_EQ(Shared<std::vector<int>>(std::vector<int>{}), empty);
    static_assert(sizeof(list) == sizeof(void*));
}

TEST(Shared, keepsItsValueWhenAnotherIsGiven) {
    SharedText text("first");
    const SharedText copy = text;
    text = "second";
    EXPECT_EQ(copy, "first");
    EXPECT_EQ(text, std::string("second"));
    EXPECT_EQ(std::string(text) + "!", "second!");
    EXPECT_TRUE(SharedText("").empty());
    EXPECT_EQ(SharedText(""), SharedText());
}

TEST(SharedPool, findsWhatWasMetFirstAndMakesTheRest) {
    SharedPool<SharedText> pool;
    int made = 0;
    const auto text = [&](const std::string& key) {
        return pool.shared(key, [&] {
            ++made;
            return key;
        });
    };
    const SharedText one = text("a"), other = text("b"), again = text("a");
    EXPECT_EQ(&one.get(), &again.get());
    EXPECT_EQ(other, "b");
    EXPECT_EQ(made, 2);
    for (std::size_t i = 0; i < 2 * SharedPool<SharedText>::kMost; ++i)
        EXPECT_EQ(text(std::to_string(i)), std::to_string(i));
    EXPECT_EQ(&text("a").get(), &one.get()) << "what is known stays known when the pool is full";
}

TEST(Repeated, holdsEveryListInItsOrder) {
    for (const int different : {1, 2, 255, 256, 257, 65'536, 65'537}) {
        std::vector<Seconds> times;
        for (int i = 0; i < different + 100; ++i) times.push_back({static_cast<double>(i % different)});
        const Repeated<Seconds> list(times);
        ASSERT_EQ(list.size(), times.size());
        EXPECT_EQ(list.all(), times) << different;
        EXPECT_EQ(list.at(times.size() - 1), times.back());
        EXPECT_THROW(list.at(times.size()), std::out_of_range);
    }
    EXPECT_TRUE(Repeated<Seconds>(std::vector<Seconds>{}).empty());
    EXPECT_EQ(Repeated<Seconds>().all(), std::vector<Seconds>{});
}

TEST(Repeated, tellsApartWhatComparesEqual) {
    const Repeated<Seconds> list{{0.0}, {-0.0}, {0.0}};
    EXPECT_FALSE(std::signbit(list[0].value));
    EXPECT_TRUE(std::signbit(list[1].value));
    EXPECT_FALSE(std::signbit(list[2].value));
}

TEST(IndexLists, keepsTheOrderWithinEachList) {
    const std::vector<std::pair<std::size_t, std::int32_t>> given{{2, 7}, {0, 1}, {2, 3}, {0, 9}};
    const IndexLists lists(4, [&](const auto& add) {
        for (const auto& [list, index] : given) add(list, index);
    });
    const auto listOf = [&](std::size_t at) { return std::vector<std::int32_t>(lists[at].begin(), lists[at].end()); };
    ASSERT_EQ(lists.size(), 4U);
    EXPECT_EQ(listOf(0), (std::vector<std::int32_t>{1, 9}));
    EXPECT_EQ(listOf(1), std::vector<std::int32_t>{});
    EXPECT_EQ(listOf(2), (std::vector<std::int32_t>{7, 3}));
    EXPECT_EQ(listOf(3), std::vector<std::int32_t>{});
    EXPECT_EQ(IndexLists().size(), 0U);
}

}  // namespace
}  // namespace tessera
