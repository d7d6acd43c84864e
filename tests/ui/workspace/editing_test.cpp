#include <gtest/gtest.h>

#include <QAction>
#include <QApplication>
#include <QComboBox>
#include <QDir>
#include <QDropEvent>
#include <QMimeData>
#include <QSettings>
#include <QStandardPaths>
#include <QSysInfo>
#include <QTemporaryDir>
#include <QUndoStack>
#include <QUrl>
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/base/file.h"
#include "core/study/study.h"
#include "tests/support/paths.h"
#include "tests/support/pictures.h"
#include "tests/ui/editors/documents.h"
#include "ui/editors/hardware_document.h"
#include "ui/editors/recovery.h"
#include "ui/editors/study_document.h"
#include "ui/jobs/jobs.h"
#include "ui/workspace/history/importer.h"
#include "ui/workspace/messages_panel.h"
#include "ui/workspace/questions.h"
#include "ui/workspace/window/main_window.h"

namespace tessera::ui {
namespace {

using test::waitUntil;

constexpr const char* kStudy = R"({"schema": "tessera.study/1", "engine": "partition", "models": ["zoo:lenet5"],
                                   "hardware": ["accpar-homogeneous"], "parameters": {}})";

/// Editing in the window: what is dropped onto it, and what becomes of edits that are not saved.
class Editing : public testing::Test {
protected:
    void SetUp() override {
        QSettings().clear();
        asker().ask = [this](QWidget& /*owner*/, const Question& question, const Asker::Answered& answered) {
            asked_.append(question.sentence);
            answered(answer_);
        };
    }
    void TearDown() override {
        asker() = dialogAsker();
        QSettings().clear();
    }
    QString file(const QString& name, const std::string& text = "") const {
        const QString path = folder_.filePath(name);
        if (!text.empty()) writeFile(path.toStdString(), text);
        return path;
    }
    MainWindow::Options options(bool session = false) const {
        return {
            .history = folder_.filePath("history.db").toStdString(), .restoreSession = session, .recordHistory = false};
    }
    static QString source(const char* path) { return QString::fromStdString(test::sourcePath(path).string()); }
    static void drop(MainWindow& window, const QStringList& files) {
        QMimeData data;
        QList<QUrl> urls;
        for (const QString& each : files) urls << QUrl::fromLocalFile(each);
        data.setUrls(urls);
        QDragEnterEvent enter(QPoint(10, 10), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&window, &enter);
        EXPECT_TRUE(enter.isAccepted());
        QDropEvent dropped(QPointF(10, 10), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&window, &dropped);
    }
    static Document* opened(MainWindow& window, const QString& kind, const QString& end) {
        for (Document* each : window.findChildren<Document*>())
            if (each->kind() == kind && each->key().endsWith(end)) return each;
        return nullptr;
    }
    /// Waits with what the event loop of a program would do besides: delete what is to be deleted later.
    template <typename Condition>
    static bool comesTrue(Condition condition) {
        return waitUntil([&] {
            QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
            return condition();
        });
    }
    /// A study with one edit that is not saved.
    StudyDocument* edited(MainWindow& window) const {
        auto* study = qobject_cast<StudyDocument*>(window.open("study", file("study.json", kStudy)));
        EXPECT_NE(study, nullptr);
        test::settle(*study);
        study->setModel("zoo:vgg19");
        return study;
    }
    std::string savedModel() const { return study::loadStudy(file("study.json").toStdString()).models.at(0); }

    test::OwnFolder library_;
    QTemporaryDir folder_;
    QStringList asked_;
    int answer_ = 0;
};

TEST_F(Editing, AnOpenStudyOffersWhatIsSavedAndOpenedBesideIt) {
    MainWindow window(options());
    window.show();
    auto* study = qobject_cast<StudyDocument*>(window.open("study", file("study.json", kStudy)));
    ASSERT_NE(study, nullptr);
    test::settle(*study);
    const auto offers = [&](const char* name) {
        for (const QComboBox* box : study->findChildren<QComboBox*>())
            if (box->findData(QLatin1String(name), Qt::EditRole) >= 0) return true;
        return false;
    };
    study->setHardware("of-mine");
    test::settle(*study);
    study->requestRun();
    EXPECT_EQ(window.jobs().jobs().size(), 0) << "there is no such fleet yet";
    EXPECT_FALSE(offers("of-mine"));
    auto* fleet = qobject_cast<HardwareDocument*>(window.open("hardware", "fleet/accpar-homogeneous"));
    ASSERT_NE(fleet, nullptr);
    test::settle(*fleet);
    ASSERT_TRUE(fleet->saveAs("of-mine"));
    EXPECT_TRUE(waitUntil([&] { return offers("of-mine"); }));
    test::settle(*study);
    study->requestRun();
    EXPECT_EQ(window.jobs().jobs().size(), 1) << "what was missing is there";
    EXPECT_EQ(study->study().hardware.front(), "of-mine") << "what was picked stays picked";

    const QString model = source("tests/data/models/lenet5.onnx");
    EXPECT_FALSE(offers(model.toUtf8()));
    drop(window, {model});
    EXPECT_TRUE(waitUntil([&] { return offers(model.toUtf8()); }));
    EXPECT_TRUE(waitUntil([&] { return window.jobs().working() == 0; }));
}

TEST_F(Editing, DroppedFilesOpenByTheirContentAndBrokenOnesAreSaid) {
    MainWindow window(options());
    window.show();
    const auto* messages = window.findChild<MessagesPanel*>();
    QDir(folder_.path()).mkdir("a folder");
    drop(window, {source("tests/data/models/lenet5.onnx"), source("data/fleets/accpar-homogeneous.json"),
                  source("data/accelerators/tpu-v3.json"), file("study.json", kStudy),
                  file("cut.json", R"({"schema": "tessera.fleet/1", "name": )"),
                  file("letter.txt", "Dear all,\nthis is no table of layers.\n"), file("a folder")});
    EXPECT_TRUE(waitUntil([&] { return opened(window, "model", "lenet5.onnx") != nullptr; }));
    EXPECT_TRUE(waitUntil([&] { return opened(window, "hardware", "accpar-homogeneous.json") != nullptr; }));
    EXPECT_TRUE(waitUntil([&] { return opened(window, "hardware", "tpu-v3.json") != nullptr; }));
    EXPECT_TRUE(waitUntil([&] { return opened(window, "study", "study.json") != nullptr; }));
    ASSERT_TRUE(waitUntil([&] { return messages->count() >= 3; }));
    QStringList said;
    for (int i = 0; i < messages->count(); ++i) said << messages->text(i);
    for (const char* name : {"cut.json", "letter.txt", "a folder"})
        EXPECT_EQ(said.filter(name).size(), 1) << name << " in " << said.join('\n').toStdString();
}

TEST_F(Editing, ExaminesFilesByTheirContent) {
    EXPECT_EQ(examineFile(file("named-wrongly.onnx", kStudy)).kind, "study");
    EXPECT_EQ(examineFile(source("tests/data/models/lenet5.onnx")).kind, "model");
    EXPECT_EQ(examineFile(file("exported.tessera", "SQLite format 3" + std::string(100, '\0'))).kind, "runs");
    EXPECT_EQ(examineFile(file("half.json", R"({"schema": "tessera.study/1", "engine": "partition"})")).kind, "study")
        << "its editor says what is missing";
    for (const QString& wrong : {file("empty.json"), folder_.path(), file("list.json", "[1, 2]"),
                                 file("other.json", R"({"schema": "somebody.else/1"})"),
                                 file("cut.json", R"({"schema": "tessera.study/1", "engine": )"),
                                 file("bytes.onnx", std::string(300, '\xff'))}) {
        const ImportedFile examined = examineFile(wrong);
        EXPECT_TRUE(examined.kind.isEmpty()) << wrong.toStdString();
        EXPECT_FALSE(examined.problem.isEmpty()) << wrong.toStdString();
        EXPECT_FALSE(examined.problem.contains('\n')) << examined.problem.toStdString();
    }
}

TEST_F(Editing, ClosingATabAsksWhatBecomesOfEdits) {
    MainWindow window(options());
    window.show();
    StudyDocument* study = edited(window);
    answer_ = 2;
    window.actionNamed("close-tab")->trigger();
    ASSERT_EQ(asked_.size(), 1);
    EXPECT_TRUE(asked_.front().contains("has changes that are not saved"));
    EXPECT_EQ(opened(window, "study", "study.json"), study) << "kept open";
    EXPECT_TRUE(study->isModified());
    EXPECT_EQ(savedModel(), "zoo:lenet5");
    answer_ = 0;
    window.actionNamed("close-tab")->trigger();
    EXPECT_EQ(savedModel(), "zoo:vgg19") << "saved";
    EXPECT_TRUE(comesTrue([&] { return opened(window, "study", "study.json") == nullptr; }));
}

TEST_F(Editing, DiscardedEditsAreGone) {
    MainWindow window(options());
    window.show();
    edited(window);
    answer_ = 1;
    window.actionNamed("close-tab")->trigger();
    EXPECT_TRUE(comesTrue([&] { return opened(window, "study", "study.json") == nullptr; }));
    EXPECT_EQ(savedModel(), "zoo:lenet5");
    auto* again = qobject_cast<StudyDocument*>(window.open("study", file("study.json")));
    test::settle(*again);
    EXPECT_FALSE(again->isModified()) << "discarded edits are not brought back";
}

TEST_F(Editing, ClosingTheWindowAsksOnceForAll) {
    MainWindow window(options());
    window.show();
    edited(window);
    answer_ = 2;
    EXPECT_FALSE(window.close());
    EXPECT_EQ(asked_.size(), 1);
    EXPECT_TRUE(window.isVisible());
    answer_ = 0;
    window.close();
    EXPECT_TRUE(waitUntil([&] { return !window.isVisible(); }));
    EXPECT_EQ(savedModel(), "zoo:vgg19");
}

TEST_F(Editing, ADocumentThatCannotBeSavedStaysOpen) {
    MainWindow window(options());
    window.show();
    StudyDocument* study = edited(window);
    std::filesystem::remove(file("study.json").toStdString());
    std::filesystem::create_directory(file("study.json").toStdString());
    answer_ = 0;
    window.actionNamed("close-tab")->trigger();
    EXPECT_EQ(opened(window, "study", "study.json"), study);
    EXPECT_FALSE(window.close());
    EXPECT_TRUE(window.isVisible());
    EXPECT_TRUE(study->isModified());
}

TEST_F(Editing, LostEditsAreOfferedAtTheNextStart) {
    const QString id = "0123456789abcdef";
    const std::filesystem::path recovery =
        std::filesystem::path(QStandardPaths::writableLocation(QStandardPaths::AppDataLocation).toStdString()) /
        "recovery" / (id.toStdString() + ".json");
    std::filesystem::create_directories(recovery.parent_path());
    Json document = Json::parse(kStudy);
    document["parameters"]["batch"] = 48;
    const Json kept = {
        {"kind", "study"}, {"key", "new/partition"},      {"title", "My study"},
        {"base", ""},      {"saved_at", 1'700'000'000},   {"host", QSysInfo::machineHostName().toStdString()},
        {"pid", 1},        {"process", "another boot/1"}, {"document", document}};
    writeFile(recovery, toText(kept));
    MainWindow window(options(true));
    window.show();
    const auto offer = [&] {
        const QStringList notices = window.notices();
        for (int i = 0; i < notices.size(); ++i)
            if (notices[i].contains("My study")) return i;
        return -1;
    };
    ASSERT_TRUE(waitUntil([&] { return offer() >= 0; }));
    EXPECT_TRUE(window.notices()[offer()].startsWith("Tessera ended before these edits were saved: "));
    test::savePicture(window, "window-lost-edits");
    window.chooseInNotice(offer(), 0);
    auto* study = qobject_cast<StudyDocument*>(window.currentDocument());
    ASSERT_NE(study, nullptr);
    test::settle(*study);
    EXPECT_EQ(study->study().parameters->at("batch"), Json(48));
    EXPECT_TRUE(study->isModified());
    answer_ = 1;
    window.actionNamed("close-tab")->trigger();
    EXPECT_TRUE(comesTrue([&] { return !std::filesystem::exists(recovery); }));
}

}  // namespace
}  // namespace tessera::ui
