#include <gtest/gtest.h>

#include <QApplication>
#include <QDropEvent>
#include <QMimeData>
#include <QSignalSpy>
#include <QUrl>
#include <nlohmann/json.hpp>

#include "core/base/file.h"
#include "tests/support/paths.h"
#include "tests/ui/editors/documents.h"
#include "ui/editors/native_file.h"
#include "ui/editors/reference_picker.h"
#include "ui/editors/study_document.h"
#include "ui/editors/study_form.h"
#include "ui/models/engine_words.h"

namespace tessera::ui {
namespace {

using test::settle;
using test::waitUntil;

/// The form of a study follows its engine's row, whichever engine that is.
class EveryEngine : public testing::TestWithParam<std::string> {
protected:
    const study::Engine& engine() const { return study::engineNamed(GetParam()); }
    std::unique_ptr<StudyDocument> form() const {
        return test::opened<StudyDocument>(QStringLiteral("new/") + idOf(engine()), {1000, 800});
    }
    static void drop(StudyDocument& document, const QString& path) {
        QMimeData data;
        data.setUrls({QUrl::fromLocalFile(path)});
        QDragEnterEvent entered(QPoint(10, 10), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&document, &entered);
        QDropEvent dropped(QPointF(10, 10), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&document, &dropped);
    }
    test::OwnFolder folder_;
};

TEST_P(EveryEngine, AsksForTheInputsOfItsRow) {
    const auto document = form();
    const std::vector<InputSlot> inputs = inputSlots(GetParam());
    EXPECT_EQ(document->findChildren<ReferencePicker*>().size(), static_cast<qsizetype>(inputs.size()));
    for (const InputSlot& slot : inputs)
        for (const QString& words : {slot.label, slot.hint, slot.filter, slot.ask, slot.another})
            EXPECT_FALSE(words.isEmpty()) << slot.list;
    EXPECT_FALSE(document->title().isEmpty());
    EXPECT_EQ(document->study().engine, GetParam());
    test::savePicture(*document, QStringLiteral("editor-new-") + idOf(engine()));
}

TEST_P(EveryEngine, TakesAFileThatIsDroppedAsTheInputThatItIs) {
    const auto document = form();
    QSignalSpy said(document.get(), &Document::messaged);
    const QString table = QString::fromStdString(test::sourcePath("tests/data/tables/residual.json").string());
    drop(*document, table);
    const bool takesFiles = engine().models != study::InputArity::none || engine().workloads != study::InputArity::none;
    ASSERT_TRUE(waitUntil([&] {
        const study::Study now = document->study();
        return said.count() == 1 || now.models.size() == 1 || now.workloads.size() == 1;
    }));
    settle(*document);
    EXPECT_EQ(said.count() == 0, takesFiles);
    EXPECT_TRUE(document->study().hardware.empty());
    if (engine().hardwareKind != "accelerator") return;
    for (const char* name : {"tpu-v3", "h100"})
        drop(*document,
             QString::fromStdString(test::sourcePath(std::string("data/accelerators/") + name + ".json").string()));
    EXPECT_TRUE(waitUntil([&] { return document->study().hardware.size() == 2; })) << "one beside the other";
}

INSTANTIATE_TEST_SUITE_P(OfTheTable, EveryEngine, testing::ValuesIn([] {
                             std::vector<std::string> ids;
                             for (const study::Engine& engine : study::engines()) ids.emplace_back(engine.id);
                             return ids;
                         }()),
                         [](const auto& test) { return test.param; });

TEST(NativeFiles, areKnownByTheKindThatEnginesName) {
    EXPECT_EQ(kindOf(*nativeFile(R"({"schema": "tessera.fleet/1"})")), "fleet");
    EXPECT_EQ(kindOf(*nativeFile(R"({"schema": "tessera.accelerator/1"})")), "accelerator");
    EXPECT_EQ(nativeFile(R"({"schema": "tessera.nothing/1"})"), nullptr);
}

}  // namespace
}  // namespace tessera::ui
