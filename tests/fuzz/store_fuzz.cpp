// Any history of a stranger: changes to the bytes of a sound export, which is opened, checked, listed, read and taken
// into another history. Whatever the bytes, each of these works or throws StoreError, and the other history stays
// sound.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "core/base/error.h"
#include "core/store/database.h"
#include "core/store/documents.h"
#include "core/store/store.h"
#include "tests/support/partition_result.h"

namespace {

using namespace tessera;
namespace fs = std::filesystem;

void check(bool holds) {
    if (!holds) std::abort();
}

/// A file with one of everything, made once.
const std::string& soundExport() {
    static const std::string kBytes = [] {
        const TemporaryFolder folder;
        store::Store history = store::Store::open(folder.path() / "history.db");
        const study::Result result = test::handMadeResult();
        const store::RunId run = history.addRun(result.study);
        history.record(run, {.before = {{"best", 1, 2}}, .checkpoint = Json{{"step", 1}}, .after = {}});
        history.finishRun(run, result, study::headline(result), {}, {{"timeline", "application/json", "{}"}});
        history.setTags(run, {"tag"});
        history.setNote(run, "note");
        const store::RunId open = history.addRun(result.study);
        history.record(open, {.checkpoint = Json{{"step", 2}}});
        history.exportRuns({run, open}, folder.path() / "out.tessera");
        std::ifstream stream(folder.path() / "out.tessera", std::ios::binary);
        return std::string(std::istreambuf_iterator<char>(stream), {});
    }();
    return kBytes;
}

/// The input as changes: four bytes of a place, a length, and so many bytes that stand there instead.
std::string changed(const std::uint8_t* data, std::size_t size) {
    std::string bytes = soundExport();
    constexpr std::size_t kHead = 5;
    for (std::size_t at = 0; at + kHead < size;) {
        std::uint32_t place = 0;
        std::memcpy(&place, data + at, sizeof(place));
        const std::size_t length = std::min<std::size_t>(data[at + 4] % 32 + 1, size - at - kHead);
        for (std::size_t i = 0; i < length; ++i)
            bytes[(place + i) % bytes.size()] = static_cast<char>(data[at + kHead + i]);
        at += kHead + length;
    }
    return bytes;
}

template <typename Work>
void attempt(const Work& work) {
    try {
        work();
    } catch (const FileError& error) {
        check(std::strchr(error.what(), '\n') == nullptr);
    } catch (const UsageError&) {
        return;  // a run that is not there
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const TemporaryFolder folder;
    const fs::path path = folder.path() / "changed.tessera";
    std::ofstream(path, std::ios::binary) << changed(data, size);
    attempt([&] {
        const store::Store strange = store::Store::open(path, store::OpenMode::readOnly);
        attempt([&] { strange.verify(); });
        attempt([&] { strange.query({.text = "note", .orderBy = "step_time_s", .metrics = {"step_time_s"}}, 10); });
        for (store::RunId run = 1; run <= 2; ++run) {
            attempt([&] { strange.run(run); });
            attempt([&] { strange.result(run); });
            attempt([&] { strange.trace(run); });
            attempt([&] { strange.checkpoint(run); });
            attempt([&] { strange.artifact(run, "timeline"); });
        }
    });
    store::Store own = store::Store::inMemory();
    own.addRun(test::handMadeResult().study, store::RunStatus::failed);
    attempt([&] { own.merge(path); });
    check(own.verify().problems.empty());
    return 0;
}
