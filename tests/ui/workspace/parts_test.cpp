#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QFile>
#include <QJsonDocument>
#include <QLineEdit>
#include <QListView>
#include <QMenu>
#include <QMouseEvent>
#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "tests/support/paths.h"
#include "tests/support/pictures.h"
#include "ui/views/document.h"
#include "ui/workspace/command_palette.h"
#include "ui/workspace/document_area.h"
#include "ui/workspace/document_tabs.h"
#include "ui/workspace/fuzzy.h"
#include "ui/workspace/history/importer.h"
#include "ui/workspace/history/run_picker.h"
#include "ui/workspace/inspector_panel.h"
#include "ui/workspace/library_panel.h"
#include "ui/workspace/messages_panel.h"

namespace tessera::ui {
namespace {

using test::waitUntil;

class Page : public Document {
public:
    explicit Page(const QString& key) : key_(key) {}
    QString kind() const override { return "page"; }
    QString key() const override { return key_; }
    QString title() const override { return key_; }
    QString iconName() const override { return "file"; }

private:
    QString key_;
};

std::optional<QString> keyOf(const Document& document) {
    return document.key();
}

TEST(DocumentArea, splitsAndJoinsGroupsAndComesBackFromItsSession) {
    DocumentArea area;
    for (const char* key : {"a", "b", "c"}) area.add(new Page(key));
    EXPECT_EQ(area.current()->key(), "c");
    area.split(Qt::Horizontal);
    EXPECT_EQ(area.groups(), 2);
    area.bringToFront(area.find("page", "b"));
    area.split(Qt::Vertical);
    EXPECT_EQ(area.groups(), 3);

    const QJsonObject saved = area.save(keyOf);
    DocumentArea again;
    again.restore(saved, [](const QString& /*kind*/, const QString& key) { return new Page(key); });
    EXPECT_EQ(again.groups(), 3);
    EXPECT_EQ(again.documents().size(), 3);
    const auto keys = [](const DocumentArea& of) {
        QStringList all;
        for (const Document* document : of.documents()) all.append(document->key());
        return all;
    };
    EXPECT_EQ(keys(again), keys(area));
    EXPECT_EQ(again.current()->key(), "b");

    area.close(area.find("page", "b"));
    area.close(area.find("page", "c"));
    EXPECT_EQ(area.groups(), 1);
    EXPECT_EQ(area.current()->key(), "a");
}

TEST(DocumentArea, movesATabToTheOtherSideAndBack) {
    DocumentArea area;
    for (const char* key : {"a", "b"}) area.add(new Page(key));
    area.moveToOtherSide();
    EXPECT_EQ(area.groups(), 2);
    EXPECT_EQ(area.current()->key(), "b");
    area.moveToOtherSide();
    EXPECT_EQ(area.groups(), 1);
    area.nextTab(1);
    EXPECT_EQ(area.current()->key(), "a");
}

/// Drags the current tab of a group with the mouse.
void dragTab(DocumentGroup& group, const QPoint& toGlobal) {
    DocumentTabs& tabs = *group.tabs();
    const auto send = [&](QEvent::Type type, const QPoint& at, Qt::MouseButton button, Qt::MouseButtons buttons) {
        QMouseEvent event(type, at, tabs.mapToGlobal(at), button, buttons, Qt::NoModifier);
        QApplication::sendEvent(&tabs, &event);
    };
    const QPoint from = tabs.tabRect(tabs.currentIndex()).center();
    const QPoint to = tabs.mapFromGlobal(toGlobal);
    send(QEvent::MouseButtonPress, from, Qt::LeftButton, Qt::LeftButton);
    send(QEvent::MouseMove, (from + to) / 2, Qt::NoButton, Qt::LeftButton);
    send(QEvent::MouseMove, to, Qt::NoButton, Qt::LeftButton);
    send(QEvent::MouseButtonRelease, to, Qt::LeftButton, Qt::NoButton);
}

DocumentGroup& groupOf(DocumentArea& area, const char* key) {
    for (DocumentGroup* group : area.findChildren<DocumentGroup*>())
        if (group->indexOf(area.find("page", key)) >= 0) return *group;
    throw std::runtime_error(key);
}

TEST(DocumentArea, aTabIsDraggedToAnEdgeToTheOtherSideAndAmongTabs) {
    DocumentArea area;
    area.resize(1000, 600);
    for (const char* key : {"a", "b", "c"}) area.add(new Page(key));
    area.show();
    QCoreApplication::processEvents();
    dragTab(groupOf(area, "c"), area.mapToGlobal(QPoint(500, 300)));
    EXPECT_EQ(area.groups(), 1) << "in the middle of its own group nothing happens";
    dragTab(groupOf(area, "c"), area.mapToGlobal(QPoint(980, 300)));
    ASSERT_EQ(area.groups(), 2) << "at the right edge it splits the area";
    QCoreApplication::processEvents();
    EXPECT_GT(groupOf(area, "c").mapTo(&area, QPoint()).x(), groupOf(area, "a").mapTo(&area, QPoint()).x());
    area.bringToFront(area.find("page", "b"));
    dragTab(groupOf(area, "b"), groupOf(area, "c").mapToGlobal(groupOf(area, "c").rect().center()));
    EXPECT_EQ(&groupOf(area, "b"), &groupOf(area, "c")) << "over the other side's middle it goes there";
    EXPECT_EQ(area.current()->key(), "b");
    area.bringToFront(area.find("page", "a"));
    const DocumentTabs& row = *groupOf(area, "c").tabs();
    dragTab(groupOf(area, "a"), row.mapToGlobal(row.tabRect(0).center()));
    EXPECT_EQ(area.groups(), 1) << "the side that it left was its only one";
    EXPECT_EQ(groupOf(area, "a").indexOf(area.find("page", "a")), 0) << "over a tab it comes before it";
    dragTab(groupOf(area, "a"), area.mapToGlobal(QPoint(500, 50)));
    ASSERT_EQ(area.groups(), 2);
    QCoreApplication::processEvents();
    EXPECT_LT(groupOf(area, "a").mapTo(&area, QPoint()).y(), groupOf(area, "c").mapTo(&area, QPoint()).y());
}

TEST(DocumentArea, manyTabsStayReadableAndAllAreInAMenu) {
    DocumentArea area;
    area.resize(700, 400);
    for (int i = 0; i < 12; ++i) area.add(new Page(QString("resnet50 on accpar-heterogeneous, batch %1").arg(i)));
    area.show();
    QCoreApplication::processEvents();
    const DocumentGroup& group = *area.findChild<DocumentGroup*>();
    const int letters = group.tabs()->fontMetrics().averageCharWidth() * 14;
    for (int i = 0; i < group.count(); ++i) EXPECT_GE(group.tabs()->tabRect(i).width(), letters);
    emit group.menu()->aboutToShow();
    ASSERT_EQ(group.menu()->actions().size(), 12);
    EXPECT_TRUE(group.menu()->actions()[11]->isChecked());
    group.menu()->actions()[2]->trigger();
    EXPECT_EQ(area.current()->key(), "resnet50 on accpar-heterogeneous, batch 2");
    test::savePicture(area, "tabs");
}

TEST(DocumentArea, aBrokenLayoutGivesAnUsableArea) {
    for (const char* text : {R"({"children": 7})", R"({"children": [{"children": [{}]}, {"tabs": [1, {}]}]})", "{}"}) {
        DocumentArea area;
        area.restore(QJsonDocument::fromJson(text).object(), [](const QString&, const QString&) { return nullptr; });
        area.add(new Page("a"));
        EXPECT_EQ(area.current()->key(), "a");
    }
}

TEST(Fuzzy, findsByPartsOfWordsAndPrefersTheirStarts) {
    EXPECT_TRUE(fuzzyScore("res50", "ResNet-50 Model"));
    EXPECT_TRUE(fuzzyScore("50 resnet", "ResNet-50"));
    EXPECT_FALSE(fuzzyScore("vgg", "ResNet-50"));
    EXPECT_TRUE(fuzzyScore("ncs", "New co-design study"));
    EXPECT_FALSE(fuzzyScore("dark", "H100 and H200 racks under a two-level network"));
    EXPECT_GT(fuzzyScore("run", "Run"), fuzzyScore("run", "Prune the tree"));
    EXPECT_GT(fuzzyScore("run 5", "Run 5 (mix on S2)"), *fuzzyScore("run 5", "Run 1 (ResNet-50)") + 42)
        << "most recent";
    EXPECT_EQ(fuzzyScore("", "Anything"), 0);
}

TEST(Palette, doesNotMissWhatHadTheFocusAndIsGone) {
    QWidget window;
    auto* field = new QLineEdit(&window);
    CommandPalette palette(&window);
    window.show();
    window.activateWindow();
    ASSERT_TRUE(test::waitUntil([&] { return window.isActiveWindow(); }));
    field->setFocus();
    palette.open();
    ASSERT_TRUE(palette.field()->hasFocus());
    delete field;
    palette.dismiss();
    EXPECT_FALSE(palette.isVisible());
}

TEST(Palette, isDrivenByTheKeyboardAndRemembersWhatWasUsed) {
    QSettings().clear();
    QWidget window;
    window.resize(900, 600);
    CommandPalette palette(&window);
    const QAbstractItemModelTester tester(palette.model(), QAbstractItemModelTester::FailureReportingMode::Fatal);
    QString ran;
    palette.setItems([&ran] {
        QVector<CommandPalette::Item> items;
        for (const char* title : {"Save", "Split right", "Split down"})
            items.append({title, title, "Action", "save", [&ran, title] { ran = title; }});
        return items;
    });
    window.show();
    palette.open();
    EXPECT_EQ(palette.model()->rowCount(), 3);
    QTest::keyClicks(palette.field(), "split");
    EXPECT_EQ(palette.model()->rowCount(), 2);
    QTest::keyClick(palette.field(), Qt::Key_Down);
    QTest::keyClick(palette.field(), Qt::Key_Return);
    EXPECT_EQ(ran, "Split down");
    EXPECT_FALSE(palette.isVisible());
    palette.open();
    EXPECT_EQ(palette.model()->index(0, 0).data().toString(), "Split down");
    QTest::keyClick(palette.field(), Qt::Key_Escape);
    EXPECT_FALSE(palette.isVisible());
}

TEST(Library, showsWhatThereIsAndFiltersIt) {
    LibraryPanel library;
    const QAbstractItemModelTester tester(library.model(), QAbstractItemModelTester::FailureReportingMode::Fatal);
    library.setContents(readLibrary());
    store::RunRow run;
    run.id = 12;
    run.name = "A run with <b>marks</b>\nand a second line";
    library.setRuns({run});
    QStringList opened;
    QObject::connect(&library, &LibraryPanel::openRequested, [&](const QString& kind, const QString& key) {
        opened = {kind, key};
    });
    library.filter()->setText("resnet-50");
    QAbstractItemModel* shown = library.tree()->model();
    ASSERT_GE(shown->rowCount(), 1);
    const QModelIndex models = shown->index(0, 0);
    EXPECT_EQ(models.data().toString(), "Models");
    ASSERT_EQ(shown->rowCount(models), 1);
    emit library.tree()->activated(shown->index(0, 0, models));
    EXPECT_EQ(opened, (QStringList{"model", "zoo:resnet50"}));
    library.filter()->clear();
    EXPECT_EQ(shown->rowCount(), 5) << "models, workloads, hardware, studies, history";
}

TEST(Messages, keepTheNewestAndGoToThePlace) {
    MessagesPanel panel;
    const QAbstractItemModelTester tester(panel.model(), QAbstractItemModelTester::FailureReportingMode::Fatal);
    for (int i = 0; i <= MessagesPanel::kMax; ++i)
        panel.add(MessagesPanel::Tone::warning, QString("Message %1").arg(i), "model", "zoo:vgg11");
    EXPECT_EQ(panel.count(), MessagesPanel::kMax);
    EXPECT_EQ(panel.text(0), "Message 1");
}

TEST(RunPicker, offersTheMostComparableFirstAndFindsByWords) {
    const auto row = [](store::RunId id, const char* model, const char* fleet) {
        store::RunRow made;
        made.id = id;
        made.name = std::string(model) + " on " + fleet;
        made.engine = "partition";
        made.models = model;
        made.hardware = fleet;
        made.status = store::RunStatus::done;
        return made;
    };
    QStringList asked;
    const store::RunRow run = row(1, "resnet50", "tpus");
    RunPicker picker(RunPicker::toCompare(run), run, [&](const QString& words, const auto& answer) {
        asked.append(words);
        std::vector<RunPicker::Candidate> all{{"2", row(2, "vgg19", "gpus")},
                                              {"3", row(3, "resnet50", "gpus")},
                                              {"4", row(4, "resnet50", "tpus")},
                                              {"job/5", row(0, "vgg19", "tpus")}};
        if (!words.isEmpty()) all.resize(1);
        answer(all);
    });
    QAbstractItemModel* model = picker.list()->model();
    const QAbstractItemModelTester tester(model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    QStringList names;
    for (int i = 0; i < model->rowCount(); ++i) names.append(model->index(i, 0).data().toString());
    EXPECT_EQ(names, (QStringList{"resnet50 on tpus", "resnet50 on gpus", "vgg19 on tpus", "vgg19 on gpus"}));
    picker.show();
    test::savePicture(picker, "run-picker");
    QStringList chosen;
    QObject::connect(&picker, &RunPicker::chosen, [&](const QStringList& keys) { chosen = keys; });
    picker.field()->setText("vgg");
    ASSERT_TRUE(waitUntil([&] { return model->rowCount() == 1; }));
    EXPECT_EQ(asked.back(), "vgg");
    picker.field()->clear();
    ASSERT_TRUE(waitUntil([&] { return model->rowCount() == 4; }));
    picker.list()->selectionModel()->select(model->index(2, 0), QItemSelectionModel::Select);
    picker.chooseButton()->click();
    EXPECT_EQ(chosen, (QStringList{"4", "job/5"}));
}

TEST(Inspector, isNotWidenedByLongNames) {
    InspectorPanel panel;
    panel.resize(250, 400);
    panel.show();
    Facts facts;
    facts.title = QStringLiteral("encoder_of_the_second_stage.block_17.attention_probabilities.onnx");
    facts.icon = QStringLiteral("model");
    facts.sections = {{QStringLiteral("What"), {{.label = QStringLiteral("Hash"), .value = QString(64, 'f')}}}};
    panel.setFacts(facts);
    QCoreApplication::processEvents();
    EXPECT_LE(panel.widget()->minimumSizeHint().width(), panel.viewport()->width());
    test::savePicture(panel, QStringLiteral("inspector-long-names"));
}

TEST(Importer, knowsFilesByTheirContents) {
    const QTemporaryDir folder;
    const auto copied = [&](const std::string& from, const char* to) {
        const QString path = folder.filePath(to);
        QFile::copy(QString::fromStdString(test::sourcePath(from).string()), path);
        return path;
    };
    EXPECT_EQ(examineFile(copied("data/fleets/accpar-homogeneous.json", "a.txt")).kind, "hardware");
    EXPECT_EQ(examineFile(copied("data/studies/vgg19-mixed-gpus.json", "b.json")).kind, "study");
    EXPECT_EQ(examineFile(copied("data/accelerators/h100.json", "c")).kind, "hardware");
    const ImportedFile wrong = examineFile(copied("LICENSE", "letter.txt"));
    EXPECT_TRUE(wrong.kind.isEmpty());
    EXPECT_TRUE(wrong.problem.contains("letter.txt")) << wrong.problem.toStdString();
    EXPECT_FALSE(examineFile(folder.path()).problem.isEmpty());
    EXPECT_FALSE(examineFile(folder.filePath("gone.onnx")).problem.isEmpty());
}

}  // namespace
}  // namespace tessera::ui
