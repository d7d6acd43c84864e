#include <gtest/gtest.h>

#include <QComboBox>
#include <QLineEdit>
#include <QScrollArea>
#include <QTableView>
#include <QTest>
#include <QToolButton>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/file.h"
#include "tests/ui/editors/documents.h"
#include "ui/editors/hardware_document.h"
#include "ui/editors/hardware_picture.h"
#include "ui/editors/list_editor.h"
#include "ui/editors/reference_picker.h"
#include "ui/editors/section.h"
#include "ui/editors/study_document.h"
#include "ui/theme/theme.h"

namespace tessera::ui {
namespace {

using test::settle;
using test::waitUntil;

const char* const kLong =
    "Accelerators of the second row in the hall behind the river, bought in spring and moved twice since then";

std::string largeFleet() {
    Json groups = Json::array();
    for (int i = 0; i < 12; ++i)
        groups.push_back({{"name", i == 3 ? std::string(kLong) : "group " + std::to_string(i + 1)},
                          {"accelerator", i % 2 == 0 ? "tpu-v2" : "tpu-v3"},
                          {"count", 8 + i}});
    groups[2]["accelerator"] = {{"name", kLong}, {"peak_flops", {{"bf16", 1e14}}}, {"network_bits_per_s", 1e11}};
    const Json fleet = {{"schema", "tessera.fleet/1"},
                        {"name", kLong},
                        {"groups", groups},
                        {"links", Json::array({{{"between", {"group 1", "group 2"}}, {"bits_per_s", 1e10}}})},
                        {"topology", "flat"}};
    return toText(fleet);
}

/// Pictures of the editors in the sizes that people have, for a person to look at; and what a program can tell of
/// them: nothing is cut off at the right, everything is reached by Tab.
class EditorsLook : public testing::Test {
protected:
    template <typename Opened>
    static std::unique_ptr<Opened> opened(const QString& key, QSize size) {
        auto document = test::opened<Opened>(key, size);
        QTest::qWait(20);
        return document;
    }
    template <typename Take>
    static void inAllLooks(const Take& take) {
        const QVector<std::pair<QSize, QString>> sizes{{QSize(800, 560), QStringLiteral("small")},
                                                       {QSize(1280, 800), QStringLiteral("1280")},
                                                       {QSize(1920, 1080), QStringLiteral("1920")}};
        for (const auto& [mode, look] : {std::pair(ThemeMode::light, "light"), std::pair(ThemeMode::dark, "dark")}) {
            theme().apply(mode);
            for (const auto& [size, name] : sizes)
                if (mode == ThemeMode::light || name == QLatin1String("1280"))
                    take(size, QStringLiteral("%1-%2").arg(name, QLatin1String(look)));
        }
        theme().apply(ThemeMode::light);
    }
    /// Controls that reach beyond the right edge of what is scrolled.
    static QStringList cutOff(QWidget& document) {
        QStringList names;
        for (const QScrollArea* area : document.findChildren<QScrollArea*>()) {
            if (area->widget() == nullptr || !area->isVisibleTo(&document)) continue;
            const int room = area->viewport()->width();
            for (const QWidget* each : area->widget()->findChildren<QWidget*>()) {
                if (each->focusPolicy() == Qt::NoFocus || !each->isVisibleTo(&document)) continue;
                if (qobject_cast<QAbstractItemView*>(each->parentWidget()) != nullptr) continue;
                const int right = each->mapTo(area->widget(), QPoint(each->width(), 0)).x();
                if (right > room + 1)
                    names << each->accessibleName() + QStringLiteral(" ends at %1 of %2").arg(right).arg(room);
            }
        }
        return names;
    }

    test::OwnFolder folder_;
};

TEST_F(EditorsLook, OfALargeFleet) {
    const std::filesystem::path path = folder_.path() / "large.json";
    writeFile(path, largeFleet());
    inAllLooks([&](QSize size, const QString& name) {
        const auto document = opened<HardwareDocument>(QString::fromStdString(path.string()), size);
        EXPECT_EQ(cutOff(*document).join(QStringLiteral("; ")), QString()) << name.toStdString();
        EXPECT_GT(test::coloursIn(test::savePicture(*document, QStringLiteral("editors-fleet-%1").arg(name))), 10);
    });
}

TEST_F(EditorsLook, OfAnInlineAcceleratorWithProblems) {
    const std::filesystem::path path = folder_.path() / "large.json";
    writeFile(path, largeFleet());
    inAllLooks([&](QSize size, const QString& name) {
        const auto document = opened<HardwareDocument>(QString::fromStdString(path.string()), size);
        for (ListEditor* list : document->findChildren<ListEditor*>())
            if (list->model()->spec().path == "groups") {
                list->model()->setCell(list->model()->index(1, 2), Json(-1));
                list->model()->setCell(list->model()->index(5, 1), Json("tpu-v9"));
                list->view()->setCurrentIndex(list->model()->index(2, 0));
            }
        for (ListEditor* list : document->findChildren<ListEditor*>())
            if (list->model()->spec().path == "groups.2.accelerator.peak_flops")
                list->model()->setCell(list->model()->index(0, 1), Json("fast"));
        settle(*document);
        QTest::qWait(20);
        EXPECT_EQ(cutOff(*document).join(QStringLiteral("; ")), QString()) << name.toStdString();
        test::savePicture(*document, QStringLiteral("editors-inline-%1").arg(name));
    });
}

TEST_F(EditorsLook, OfAnAccelerator) {
    inAllLooks([&](QSize size, const QString& name) {
        const auto document = opened<HardwareDocument>(QStringLiteral("accelerator/tpu-v3"), size);
        EXPECT_EQ(cutOff(*document).join(QStringLiteral("; ")), QString()) << name.toStdString();
        test::savePicture(*document, QStringLiteral("editors-accelerator-%1").arg(name));
    });
}

TEST_F(EditorsLook, OfAStudyWithProblems) {
    inAllLooks([&](QSize size, const QString& name) {
        const auto document = opened<StudyDocument>(QStringLiteral("resnet50-mixed-tpus"), size);
        document->findChild<Section*>()->setOpen(name.startsWith(QStringLiteral("1920")));
        for (QLineEdit* each : document->findChildren<QLineEdit*>()) {
            if (each->accessibleName() == QStringLiteral("Name")) {
                each->selectAll();
                QTest::keyClicks(each, QString::fromLatin1(kLong));
            }
            if (each->accessibleName() == QStringLiteral("Batch")) {
                each->selectAll();
                QTest::keyClicks(each, QStringLiteral("0"));
            }
        }
        document->setHardware(QStringLiteral("no-such-fleet"));
        settle(*document);
        QTest::qWait(20);
        EXPECT_EQ(cutOff(*document).join(QStringLiteral("; ")), QString()) << name.toStdString();
        test::savePicture(*document, QStringLiteral("editors-study-%1").arg(name));
    });
}

TEST_F(EditorsLook, AWideStudyHasTwoColumns) {
    const auto document = opened<StudyDocument>(QStringLiteral("resnet50-mixed-tpus"), QSize(1340, 800));
    const auto* research = document->findChild<Section*>();
    const auto left = [&] { return research->mapTo(document.get(), QPoint()).x(); };
    EXPECT_GT(left(), document->width() / 2);
    EXPECT_EQ(cutOff(*document).join(QStringLiteral("; ")), QString());
    test::savePicture(*document, QStringLiteral("editors-study-columns"));
    document->resize(1000, 800);
    QTest::qWait(20);
    EXPECT_LT(left(), 100);
    EXPECT_EQ(cutOff(*document).join(QStringLiteral("; ")), QString());
}

/// Everything that takes the focus by a click takes it by Tab, too, and in the order in which it is read.
TEST_F(EditorsLook, TabReachesEverythingInReadingOrder) {
    const std::filesystem::path path = folder_.path() / "large.json";
    writeFile(path, largeFleet());
    QVector<std::shared_ptr<Document>> documents;
    documents << opened<HardwareDocument>(QString::fromStdString(path.string()), QSize(1280, 800))
              << opened<HardwareDocument>(QStringLiteral("accelerator/tpu-v3"), QSize(1280, 800))
              << opened<StudyDocument>(QStringLiteral("resnet50-mixed-tpus"), QSize(1100, 800));  // one column
    for (const auto& document : documents) {
        const QVector<QWidget*> order = test::tabOrder(*document);
        const std::string title = document->title().toStdString();
        EXPECT_EQ(test::namelessControls(*document).join(QStringLiteral("; ")), QString()) << title;
        for (QWidget* each : document->findChildren<QWidget*>()) {
            const bool control =
                qobject_cast<QAbstractButton*>(each) != nullptr || qobject_cast<QLineEdit*>(each) != nullptr ||
                qobject_cast<QComboBox*>(each) != nullptr || qobject_cast<QAbstractItemView*>(each) != nullptr;
            const bool own = !each->objectName().startsWith(QStringLiteral("qt_")) && !each->inherits("QHeaderView") &&
                             !each->inherits("QTableCornerButton") && !each->inherits("QComboBoxListView");
            if (!control || !own || !each->isVisibleTo(document.get()) || !each->isEnabled()) continue;
            if (each->focusProxy() != nullptr || each->isWindow()) continue;
            EXPECT_TRUE(order.contains(each))
                << title << ": " << each->metaObject()->className() << " " << each->accessibleName().toStdString();
        }
        // Fields of one column follow each other downwards.
        const auto* area = document->findChild<QScrollArea*>();
        int before = -1;
        for (const QWidget* each : order) {
            if (!area->widget()->isAncestorOf(each)) continue;
            const int y = each->mapTo(area->widget(), QPoint(0, each->height() / 2)).y();
            constexpr int kSameLine = 40;  // buttons of a table stand above it, and are reached before or after it
            EXPECT_GE(y, before - kSameLine) << title << ": " << each->accessibleName().toStdString();
            if (qobject_cast<const QAbstractItemView*>(each) == nullptr) before = std::max(before, y);
        }
    }
}

}  // namespace
}  // namespace tessera::ui
