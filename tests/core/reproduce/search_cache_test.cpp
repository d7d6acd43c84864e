#include "core/reproduce/search_cache.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/codesign/search/search.h"
#include "core/hardware/library.h"
#include "tests/support/scratch_folder.h"

namespace tessera::study {
namespace {

namespace fs = std::filesystem;

class SearchCacheTest : public testing::Test {
protected:
    SearchCacheTest() {
        codesign::WorkloadOptions load;
        load.microBatches = {1, 2};
        workload_ = codesign::loadWorkload("zoo:bert-base", load);
        space_ = hardware::loadTemplate("phaze");
        options_.search = codesign::SearchKind::random;
        options_.samples = 40;
        options_.spotlight = false;
    }

    codesign::Result found(const SearchCache& cache) {
        return cache.resultOf({&workload_}, space_, options_, [&](const auto& from, const auto& checkpoint) {
            ++searches_;
            resumed_ = from.has_value() ? from->next : 0;
            codesign::SearchControl control{{.threads = threads_}};
            control.checkpoint = checkpoint;
            control.resume = from.value_or(codesign::Progress{});
            return codesign::search({workload_}, space_, options_, control);
        });
    }

    /// Which parts of an area were estimated follows from the architecture and is not kept.
    static void expectSamePoints(const std::vector<codesign::Point>& a, const std::vector<codesign::Point>& b) {
        ASSERT_EQ(a.size(), b.size());
        for (std::size_t i = 0; i < a.size(); ++i) {
            codesign::Point same = b[i];
            same.parts = a[i].parts;
            EXPECT_EQ(a[i].parts.total(), b[i].parts.total()) << i;
            EXPECT_TRUE(a[i] == same) << i;
        }
    }

    void expectSame(const codesign::Result& a, const codesign::Result& b) {
        ASSERT_TRUE(a.best && b.best);
        expectSamePoints({*a.best}, {*b.best});
        EXPECT_TRUE(a.perModel == b.perModel);
        ASSERT_EQ(a.baselines.size(), b.baselines.size());
        for (std::size_t i = 0; i < a.baselines.size(); ++i)
            EXPECT_TRUE(a.baselines[i].models == b.baselines[i].models);
        EXPECT_TRUE(a.trace == b.trace);
        expectSamePoints(a.evaluated, b.evaluated);
        expectSamePoints(a.front, b.front);
        EXPECT_EQ(a.assumptions, b.assumptions);
        EXPECT_EQ(a.explored, b.explored);
    }

    std::vector<fs::path> files() const {
        std::vector<fs::path> list;
        if (fs::exists(folder_))
            for (const auto& entry : fs::directory_iterator(folder_)) list.push_back(entry.path());
        return list;
    }

    test::ScratchFolder folder_;
    codesign::Workload workload_;
    hardware::Template space_;
    codesign::Options options_;
    unsigned threads_ = 2;
    int searches_ = 0;
    std::size_t resumed_ = 0;
};

TEST_F(SearchCacheTest, searchesOnceAndReadsBackTheSame) {
    const SearchCache cache(folder_);
    const codesign::Result first = found(cache);
    const codesign::Result again = found(cache);
    EXPECT_EQ(searches_, 1);
    expectSame(first, again);
    EXPECT_EQ(files().size(), 1U) << "nothing is left of the way there";
    threads_ = 1;
    found(cache);
    EXPECT_EQ(searches_, 1) << "threads change nothing";
}

TEST_F(SearchCacheTest, keepsNothingWithoutAFolder) {
    const SearchCache cache{fs::path()};
    expectSame(found(cache), found(cache));
    EXPECT_EQ(searches_, 2);
}

TEST_F(SearchCacheTest, tellsApartWhatAResultDependsOn) {
    const std::string key = SearchCache::keyOf({&workload_}, space_, options_);
    const auto other = [&](const auto& change) {
        codesign::Workload workload = workload_;
        hardware::Template space = space_;
        codesign::Options options = options_;
        change(workload, space, options);
        EXPECT_NE(SearchCache::keyOf({&workload}, space, options), key);
    };
    other([](auto&, auto&, auto& options) { options.bandwidth = BytesPerSecond{1e9}; });
    other([](auto&, auto&, auto& options) { options.estimator = "phaze"; });
    other([](auto&, auto&, auto& options) { options.samples = 41; });
    other([](auto&, auto&, auto& options) { options.globalBatch = 8; });
    other([](auto&, auto& space, auto&) { space.hbm.values = {1 << 30}; });
    other([](auto&, auto& space, auto&) { space.rates.hbmBandwidth = BytesPerSecond{2e12}; });
    other([](auto& workload, auto&, auto&) { workload.sha256 = "another"; });
    other([](auto& workload, auto&, auto&) { workload.slices.front().kinds.front().weights = Bytes{1}; });
    other([](auto& workload, auto&, auto&) { workload.slices.pop_back(); });
}

TEST_F(SearchCacheTest, searchesAgainWhereAFileIsDamaged) {
    const SearchCache cache(folder_);
    const codesign::Result first = found(cache);
    const std::string whole = readFile(files().front());
    for (const std::string& damaged :
         {std::string(), whole.substr(0, whole.size() / 2), whole.substr(0, 200) + "x" + whole.substr(201),
          std::string("tessera.cache/1 nothing\n{}")}) {
        std::ofstream(files().front(), std::ios::binary | std::ios::trunc) << damaged;
        const int before = searches_;
        expectSame(first, found(cache));
        EXPECT_EQ(searches_, before + 1);
    }
    EXPECT_EQ(readFile(files().front()), whole) << "and mends it";
}

TEST_F(SearchCacheTest, goesOnWhereASearchWasKilled) {
    const SearchCache cache(folder_);
    const codesign::Result whole = found(SearchCache(fs::path()));
    const std::string key = SearchCache::keyOf({&workload_}, space_, options_);
    std::optional<codesign::Progress> half;
    cache.resultOf({&workload_}, space_, options_, [&](const auto&, const auto&) {
        codesign::SearchControl control;
        control.checkpoint = [&](const codesign::Progress& progress) {
            if (!half) half = progress;
        };
        return codesign::search({workload_}, space_, options_, control);
    });
    ASSERT_TRUE(half);
    ASSERT_LT(half->next, 40U);
    // As if it had been killed then.
    fs::remove_all(folder_);
    CacheFolder(folder_).write(key + ".begun.json", SearchCache::textOf(*half));
    expectSame(whole, found(cache));
    EXPECT_EQ(resumed_, half->next);
    EXPECT_EQ(files().size(), 1U);
}

TEST_F(SearchCacheTest, aFolderThatCannotBeWrittenToIsNoError) {
    const SearchCache cache(fs::path("/proc/tessera-searches"));
    EXPECT_TRUE(found(cache).best);
    EXPECT_TRUE(found(cache).best);
    EXPECT_EQ(searches_, 2);
}

}  // namespace
}  // namespace tessera::study
