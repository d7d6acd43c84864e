#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QAction>
#include <QLineEdit>
#include <QListView>
#include <QMenu>
#include <QSignalSpy>
#include <QStandardItemModel>
#include <QTest>
#include <QTreeView>
#include <algorithm>
#include <filesystem>

#include "core/base/file.h"
#include "tests/support/paths.h"
#include "tests/support/pictures.h"
#include "tests/ui/editors/documents.h"
#include "ui/editors/hardware_document.h"
#include "ui/workspace/library_panel.h"
#include "ui/workspace/library_watcher.h"
#include "ui/workspace/two_tone_delegate.h"

namespace tessera::ui {
namespace {

using test::waitUntil;

std::string acceleratorText(const std::string& name) {
    return R"({"schema": "tessera.accelerator/1", "name": ")" + name + R"(", "peak_flops": {"bf16": 1e12}})";
}

/// The library as the window has it: a watcher that feeds the panel.
class LibraryTest : public testing::Test {
protected:
    void start() {
        watcher_ = std::make_unique<LibraryWatcher>();
        QObject::connect(watcher_.get(), &LibraryWatcher::read, &panel_, [this](const LibraryContents& contents) {
            contents_ = contents;
            ++readings_;
            panel_.setContents(contents);
        });
        panel_.resize(300, 700);
        panel_.show();
        ASSERT_TRUE(waitUntil([&] { return readings_ > 0; }));
    }
    void write(const std::string& place, const std::string& text) const {
        std::filesystem::create_directories((folder_.path() / place).parent_path());
        writeFile(folder_.path() / place, text);
    }
    QModelIndex shownRow(const QString& key) const {
        const QAbstractItemModel& model = *panel_.tree()->model();
        const QModelIndexList found =
            model.match(model.index(0, 0), LibraryPanel::keyRole, key, 1, Qt::MatchExactly | Qt::MatchRecursive);
        return found.value(0);
    }
    bool lists(const QVector<LibraryContents::Entry>& entries, const QString& key) const {
        return std::any_of(entries.begin(), entries.end(),
                           [&](const LibraryContents::Entry& each) { return each.key == key; });
    }

    test::OwnFolder folder_;
    LibraryPanel panel_;
    LibraryContents contents_;
    int readings_ = 0;
    std::unique_ptr<LibraryWatcher> watcher_;
};

TEST_F(LibraryTest, NoticesFilesThatComeChangeAndGo) {
    start();
    // The folder of accelerators does not exist yet.
    write("accelerators/mine.json", acceleratorText("Mine"));
    ASSERT_TRUE(waitUntil([&] { return lists(contents_.accelerators, QStringLiteral("accelerator/mine")); }));
    const auto tip = [&] { return shownRow(QStringLiteral("accelerator/mine")).data(Qt::ToolTipRole).toString(); };
    EXPECT_EQ(tip(), QStringLiteral("Mine"));
    write("accelerators/mine.json", acceleratorText("Mine, renamed"));
    EXPECT_TRUE(waitUntil([&] { return tip() == QStringLiteral("Mine, renamed"); }));
    std::filesystem::remove(folder_.path() / "accelerators/mine.json");
    EXPECT_TRUE(waitUntil([&] { return !shownRow(QStringLiteral("accelerator/mine")).isValid(); }));
}

TEST_F(LibraryTest, ListsABrokenStudyBesideTheOthers) {
    write("studies/broken.json", "{");
    start();
    ASSERT_TRUE(lists(contents_.studies, QStringLiteral("broken")));
    EXPECT_TRUE(lists(contents_.studies, QStringLiteral("resnet50-mixed-tpus")));
    EXPECT_FALSE(shownRow(QStringLiteral("broken")).data(LibraryPanel::helpRole).toString().isEmpty());
}

TEST_F(LibraryTest, HardwareOffersTheStudiesThatAreForItsKind) {
    start();
    const auto offers = [&](const char* key, const char* kind) {
        const std::unique_ptr<QMenu> menu(panel_.contextMenu(shownRow(QLatin1String(key))));
        const QList<QAction*> actions = menu ? menu->actions() : QList<QAction*>();
        return std::any_of(actions.begin(), actions.end(), [&](const QAction* each) {
            return each->text().startsWith(QStringLiteral("New ")) &&
                   each->text().endsWith(QStringLiteral("on this ") + QLatin1String(kind));
        });
    };
    for (const char* key : {"fleet/accpar-heterogeneous", "accelerator/tpu-v3", "platform/s2", "template/phaze"}) {
        ASSERT_TRUE(shownRow(QLatin1String(key)).isValid()) << key;
        const std::string own = std::string(key).substr(0, std::string(key).find('/'));
        for (const char* kind : {"fleet", "accelerator", "platform", "template"})
            EXPECT_EQ(offers(key, kind), own == kind) << key << " " << kind;
    }
    ASSERT_TRUE(shownRow(QLatin1String("workload/mix")).isValid());
    EXPECT_FALSE(offers("workload/mix", "workload"));
}

TEST_F(LibraryTest, FilesStandAmongTheirKind) {
    start();
    RecentFiles recent;
    recent.clear();
    QObject::connect(&recent, &RecentFiles::changed, &panel_, [&] { panel_.setRecent(recent.entries()); });
    const QMap<QString, QString> files{{QStringLiteral("/there/a.json"), QStringLiteral("accelerator")},
                                       {QStringLiteral("/there/p.json"), QStringLiteral("platform")},
                                       {QStringLiteral("/there/t.json"), QStringLiteral("template")},
                                       {QStringLiteral("/there/w.json"), QStringLiteral("jobs")}};
    for (const QString& path : files.keys()) {
        recent.add(QStringLiteral("hardware"), path);
        EXPECT_EQ(shownRow(path).parent().data().toString(), QStringLiteral("Fleets")) << "not read yet";
        recent.setIcon(path, files[path]);
    }
    recent.setIcon(QStringLiteral("/elsewhere.json"), QStringLiteral("fleet"));
    EXPECT_EQ(recent.entries().size(), files.size());
    EXPECT_EQ(shownRow(QStringLiteral("/there/a.json")).parent().data().toString(), QStringLiteral("Accelerators"));
    EXPECT_EQ(shownRow(QStringLiteral("/there/p.json")).parent().data().toString(), QStringLiteral("Platforms"));
    EXPECT_EQ(shownRow(QStringLiteral("/there/t.json")).parent().data().toString(), QStringLiteral("Templates"));
    EXPECT_EQ(shownRow(QStringLiteral("/there/w.json")).parent().data().toString(), QStringLiteral("Workloads"));
    // Opened again, and in the next session.
    recent.add(QStringLiteral("hardware"), QStringLiteral("/there/a.json"));
    EXPECT_EQ(recent.entries().front().icon, QStringLiteral("accelerator"));
    EXPECT_EQ(RecentFiles().entries(), recent.entries());
}

TEST_F(LibraryTest, ReadsManyChangesAtOnce) {
    write("fleets/.keep", "");
    write("accelerators/first.json", acceleratorText("First"));
    start();
    const int before = readings_;
    for (int i = 0; i < 40; ++i) write("accelerators/made-" + std::to_string(i) + ".json", acceleratorText("Made"));
    ASSERT_TRUE(waitUntil([&] { return lists(contents_.accelerators, QStringLiteral("accelerator/made-39")); }));
    EXPECT_LE(readings_ - before, 10);
}

TEST_F(LibraryTest, SeesADocumentThatWasSaved) {
    start();
    HardwareDocument document(QStringLiteral("new/fleet"));
    test::settle(document);
    ASSERT_TRUE(document.saveAs(QStringLiteral("from-editor")));
    EXPECT_TRUE(waitUntil([&] { return lists(contents_.fleets, QStringLiteral("fleet/from-editor")); }));
}

TEST_F(LibraryTest, ShowsACopyAsMineUnderItsOwnNameAndFindsIt) {
    start();
    const qsizetype bundled = contents_.fleets.size();
    HardwareDocument document(QStringLiteral("fleet/a100-h100-mixed"));
    test::settle(document);
    ASSERT_TRUE(document.saveAs(QStringLiteral("my-fleet")));
    ASSERT_TRUE(waitUntil([&] { return shownRow(QStringLiteral("fleet/my-fleet")).isValid(); }));
    EXPECT_EQ(contents_.fleets.size(), bundled + 1);
    const QModelIndex mine = shownRow(QStringLiteral("fleet/my-fleet"));
    EXPECT_EQ(mine.data().toString(), QStringLiteral("my-fleet"));
    EXPECT_EQ(mine.data(TwoToneDelegate::kBadgeRole).toString(), QStringLiteral("mine"));
    EXPECT_EQ(mine.row(), 0) << "the user's own come first";
    EXPECT_EQ(mine.parent().data(TwoToneDelegate::kAsideRole).toString(), QString::number(bundled + 1));
    EXPECT_EQ(shownRow(QStringLiteral("fleet/a100-h100-mixed")).data(TwoToneDelegate::kBadgeRole).toString(),
              QString());
    for (const char* wanted : {"my-fl", "mine"}) {
        panel_.filter()->setText(QLatin1String(wanted));
        EXPECT_TRUE(shownRow(QStringLiteral("fleet/my-fleet")).isValid()) << wanted;
        EXPECT_FALSE(shownRow(QStringLiteral("fleet/a100-h100-mixed")).isValid()) << wanted;
    }
    test::savePicture(panel_, QStringLiteral("library-mine"));
}

TEST_F(LibraryTest, TellsApartWhatIsCalledTheSame) {
    start();
    // Another program writes copies without another name.
    const std::string text = readFile(test::sourcePath("data/fleets/a100-h100-mixed.json"));
    for (const char* stem : {"one", "two"}) write(std::string("fleets/") + stem + ".json", text);
    ASSERT_TRUE(waitUntil([&] { return shownRow(QStringLiteral("fleet/two")).isValid(); }));
    for (const char* name : {"a100-h100-mixed", "one", "two"}) {
        const QModelIndex row = shownRow(QStringLiteral("fleet/") + QLatin1String(name));
        EXPECT_EQ(row.data().toString(), QLatin1String(name)) << "as studies and results call it";
        EXPECT_TRUE(row.data(Qt::ToolTipRole).toString().startsWith(QStringLiteral("A100 and H100, four nodes each")));
    }
    QSet<QString> titles;
    for (const LibraryContents::Entry& each : contents_.fleets) titles.insert(each.title);
    EXPECT_EQ(titles.size(), contents_.fleets.size());
}

TEST(TwoToneDelegate, LongNamesOfOneFamilyStayTwo) {
    QListView list;
    QStandardItemModel model;
    for (const char* name : {"accpar-heterogeneous", "accpar-homogeneous"})
        model.appendRow(new QStandardItem(QLatin1String(name)));
    list.setModel(&model);
    list.setItemDelegate(new TwoToneDelegate(&list));
    list.setSelectionMode(QAbstractItemView::NoSelection);
    // Neither has the room that the shorter one needs.
    list.resize(QFontMetrics(list.font()).horizontalAdvance(QStringLiteral("accpar-homogeneous")), 200);
    const auto row = [&](int at) { return list.viewport()->grab(list.visualRect(model.index(at, 0))).toImage(); };
    EXPECT_NE(row(0), row(1));
}

TEST_F(LibraryTest, DuplicatesHardwareFromItsMenu) {
    start();
    QSignalSpy asked(&panel_, &LibraryPanel::duplicateRequested);
    QMenu* menu = panel_.contextMenu(shownRow(QStringLiteral("fleet/a100-h100-mixed")));
    ASSERT_NE(menu, nullptr);
    for (QAction* action : menu->actions())
        if (action->text() == QStringLiteral("Duplicate…")) action->trigger();
    ASSERT_EQ(asked.count(), 1);
    EXPECT_EQ(asked[0][0].toString(), QStringLiteral("fleet/a100-h100-mixed"));
    EXPECT_EQ(panel_.contextMenu(panel_.model()->index(0, 0)), nullptr) << "of a section";
}

TEST_F(LibraryTest, KeepsSelectionFoldsAndFilter) {
    write("accelerators/mine.json", acceleratorText("Mine"));
    start();
    const QAbstractItemModelTester tester(panel_.model(), QAbstractItemModelTester::FailureReportingMode::Fatal);
    panel_.setOpenSections({QStringLiteral("hardware"), QStringLiteral("accelerators")});
    panel_.tree()->setCurrentIndex(shownRow(QStringLiteral("accelerator/tpu-v3")));
    QSignalSpy inspected(&panel_, &LibraryPanel::inspected);
    const QStringList open = panel_.openSections();
    write("accelerators/another.json", acceleratorText("Another"));
    ASSERT_TRUE(waitUntil([&] { return shownRow(QStringLiteral("accelerator/another")).isValid(); }));
    EXPECT_EQ(panel_.tree()->currentIndex().data(LibraryPanel::keyRole).toString(),
              QStringLiteral("accelerator/tpu-v3"));
    EXPECT_TRUE(panel_.tree()->selectionModel()->isSelected(panel_.tree()->currentIndex()));
    EXPECT_EQ(panel_.openSections(), open);
    EXPECT_EQ(inspected.count(), 0) << "nobody chose anything";

    panel_.filter()->setText(QStringLiteral("mine"));
    EXPECT_TRUE(shownRow(QStringLiteral("accelerator/mine")).isValid());
    EXPECT_FALSE(shownRow(QStringLiteral("accelerator/tpu-v2")).isValid());
    write("fleets/mine-too.json",
          R"({"schema": "tessera.fleet/1", "name": "Mine too", "groups": [{"name": "a", "accelerator": "mine"}]})");
    ASSERT_TRUE(waitUntil([&] { return shownRow(QStringLiteral("fleet/mine-too")).isValid(); }));
    EXPECT_EQ(panel_.filter()->text(), QStringLiteral("mine"));
    EXPECT_TRUE(panel_.tree()->isExpanded(shownRow(QStringLiteral("fleet/mine-too")).parent()))
        << "what fits the filter is seen";
    panel_.filter()->clear();
    EXPECT_EQ(panel_.openSections(), open) << "folded and unfolded as before the filter";
    test::savePicture(panel_, QStringLiteral("library"));
}

TEST_F(LibraryTest, KeepsTheSelectedRunWhenAnotherEnds) {
    start();
    const auto run = [](std::int64_t id) {
        store::RunRow row;
        row.id = id;
        row.name = "run " + std::to_string(id);
        return row;
    };
    panel_.setRuns({run(2), run(1)});
    panel_.tree()->setCurrentIndex(shownRow(QStringLiteral("run/1")));
    panel_.setRuns({run(3), run(2), run(1)});
    EXPECT_EQ(panel_.tree()->currentIndex().data(LibraryPanel::keyRole).toString(), QStringLiteral("run/1"));
    panel_.setRuns({run(1), run(3), run(2)});
    EXPECT_EQ(panel_.tree()->currentIndex().data(LibraryPanel::keyRole).toString(), QStringLiteral("run/1"));
    EXPECT_EQ(shownRow(QStringLiteral("run/3")).row(), 2) << "all runs, run 1, run 3";
}

}  // namespace
}  // namespace tessera::ui
