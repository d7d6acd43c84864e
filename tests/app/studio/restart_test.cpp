#include <gtest/gtest.h>

#include <QDataStream>
#include <QDir>
#include <QFile>
#include <QProcess>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>
#include <QWidget>
#include <algorithm>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/store/store.h"
#include "core/study/metric.h"
#include "core/study/study.h"
#include "tests/support/codesign_result.h"
#include "tests/support/partition_result.h"
#include "tests/support/paths.h"
#include "tests/support/portfolio_result.h"
#include "tests/support/prediction_result.h"

/// The program itself, started with what an earlier session left behind: it comes up, whatever that was.
namespace tessera::ui {
namespace {

constexpr int kLong = 60'000;  ///< milliseconds

struct Size {
    int width, height;
};
constexpr Size kSizes[] = {{1920, 1080}, {1440, 900}, {1280, 800}, {900, 600}, {640, 400}};

/// What a document is opened by.
struct Kind {
    const char* kind;
    const char* key;
};
constexpr Kind kKinds[] = {{"welcome", ""},
                           {"model", "zoo:resnet18"},
                           {"hardware", "fleet/accpar-heterogeneous"},
                           {"hardware", "accelerator/tpu-v3"},
                           {"hardware", "template/phaze"},
                           {"study", "mixed-jobs-race"},
                           {"history", ""},
                           {"run", "run/1"},
                           {"run", "run/2"},
                           {"run", "run/3"},
                           {"run", "run/4"},
                           {"compare", "1,1"},
                           {"report", "1"},
                           {"validation", ""}};

/// A display of its own, with or without a window manager.
class Display {
public:
    Display(const Size& size, bool managed) {
        server_.setProcessChannelMode(QProcess::ForwardedErrorChannel);
        server_.start(QStringLiteral("Xvfb"),
                      {QStringLiteral("-displayfd"), QStringLiteral("1"), QStringLiteral("-screen"),
                       QStringLiteral("0"), QStringLiteral("%1x%2x24").arg(size.width).arg(size.height),
                       QStringLiteral("-nolisten"), QStringLiteral("tcp")});
        if (!server_.waitForStarted(kLong)) return;
        while (!server_.canReadLine() && server_.waitForReadyRead(kLong)) {
        }
        name_ = QLatin1Char(':') + QString::fromLatin1(server_.readLine()).trimmed();
        if (!managed || name_.size() < 2) return;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("DISPLAY"), name_);
        manager_.setProcessEnvironment(environment);
        manager_.setStandardErrorFile(QProcess::nullDevice());
        manager_.setStandardOutputFile(QProcess::nullDevice());
        manager_.start(QStringLiteral("openbox"), {QStringLiteral("--sm-disable")});
        isManaged_ = manager_.waitForStarted(kLong);
        QTest::qWait(300);  // until it has taken the display over
    }
    ~Display() {
        for (QProcess* each : {&manager_, &server_}) {
            if (each->state() == QProcess::NotRunning) continue;
            each->terminate();
            each->waitForFinished(kLong);
        }
    }
    Display(const Display&) = delete;
    Display& operator=(const Display&) = delete;
    QString name() const { return name_; }  ///< ":99"; less than two letters where there is none
    bool isManaged() const { return isManaged_; }

private:
    QProcess server_, manager_;
    QString name_;
    bool isManaged_ = false;
};

class Restart : public testing::Test {
protected:
    void SetUp() override {
        ASSERT_TRUE(folder_.isValid());
        ASSERT_TRUE(QDir(folder_.path()).mkpath(QStringLiteral("config/tessera")));
        store::Store history = store::Store::open(folder_.filePath("history.db").toStdString());
        for (const study::Result& result :
             {test::handMadeResult(), test::handMadePortfolio(), test::wholeCodesign(), test::wholePrediction()})
            history.finishRun(history.addRun(result.study), result, study::headline(result), {}, {});
    }

    QString settingsFile() const { return folder_.filePath(QStringLiteral("config/tessera/tessera-studio.conf")); }
    std::unique_ptr<QSettings> settings() const {
        return std::make_unique<QSettings>(settingsFile(), QSettings::IniFormat);
    }
    /// The settings that a session on a large screen left: maximised, many tabs, panes made narrow by hand.
    void putSession() const {
        QFile::remove(settingsFile());
        ASSERT_TRUE(QFile::copy(
            QString::fromStdString(test::sourcePath("tests/data/studio/session-of-a-large-screen.conf").string()),
            settingsFile()));
        QFile::setPermissions(settingsFile(), QFile::ReadOwner | QFile::WriteOwner);
    }
    void putDocuments(const QVector<Kind>& kinds) const {
        QString tabs;
        for (const Kind& each : kinds)
            tabs += QStringLiteral(R"(%1{"kind":"%2","key":"%3","view":{}})")
                        .arg(tabs.isEmpty() ? QString() : QStringLiteral(","), QLatin1String(each.kind),
                             QLatin1String(each.key));
        settings()->setValue(
            QStringLiteral("session/documents"),
            QStringLiteral(R"({"children":[{"active":true,"current":0,"tabs":[%1]}],"sizes":[1000],"vertical":false})")
                .arg(tabs)
                .toUtf8());
    }

    void begin(QProcess& studio, const QString& display, double scale, const QStringList& arguments) const {
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("QT_QPA_PLATFORM"),
                           display.isEmpty() ? QStringLiteral("offscreen") : QStringLiteral("xcb"));
        if (!display.isEmpty()) environment.insert(QStringLiteral("DISPLAY"), display);
        environment.insert(QStringLiteral("QT_SCALE_FACTOR"), QString::number(scale));
        for (const auto& [place, name] : {std::pair{"XDG_CONFIG_HOME", "config"}, std::pair{"XDG_DATA_HOME", "data"},
                                          std::pair{"XDG_CACHE_HOME", "cache"}})
            environment.insert(QLatin1String(place), folder_.filePath(QLatin1String(name)));
        studio.setProcessEnvironment(environment);
        studio.setProcessChannelMode(QProcess::ForwardedErrorChannel);
        studio.start(
            QStringLiteral(TESSERA_STUDIO_PROGRAM),
            QStringList{QStringLiteral("--store"), folder_.filePath(QStringLiteral("history.db"))} + arguments);
    }

    /// Starts the studio and has it end as soon as its window answers: 0 where all went well.
    int start(const QString& display, double scale) const {
        QProcess studio;
        begin(studio, display, scale, {QStringLiteral("--quit-when-ready")});
        if (!studio.waitForFinished(kLong)) {
            studio.kill();
            studio.waitForFinished(kLong);
            return -1;
        }
        return studio.exitStatus() == QProcess::NormalExit ? studio.exitCode() : 128 + studio.exitCode();
    }

    /// The widths that the session keeps lie within what panes may have.
    void expectSanePanes() const {
        const QVariantMap widths = settings()->value(QStringLiteral("window/widths")).toMap();
        EXPECT_GE(widths.value(QStringLiteral("library")).toInt(), 200);
        EXPECT_LE(widths.value(QStringLiteral("library")).toInt(), 480);
        EXPECT_GE(widths.value(QStringLiteral("inspector")).toInt(), 240);
        EXPECT_LE(widths.value(QStringLiteral("inspector")).toInt(), 400);
        EXPECT_FALSE(settings()->value(QStringLiteral("session/restoring")).toBool());
    }

    QTemporaryDir folder_;
};

/// The scale of the screen, and whether it has a window manager.
using Screen = std::pair<double, bool>;

class RestartOn : public Restart, public testing::WithParamInterface<Screen> {};

TEST_P(RestartOn, theSessionOfALargeScreenComesUpInEverySize) {
    const auto [scale, managed] = GetParam();
    for (const Size& size : kSizes) {
        SCOPED_TRACE(testing::Message() << size.width << " x " << size.height);
        const Display display(size, managed);
        if (display.name().size() < 2) GTEST_SKIP() << "there is no Xvfb here";
        if (managed && !display.isManaged()) GTEST_SKIP() << "there is no openbox here";
        ASSERT_NO_FATAL_FAILURE(putSession());
        ASSERT_EQ(start(display.name(), scale), 0);
        expectSanePanes();
        if (&size != std::begin(kSizes)) continue;
        ASSERT_EQ(start(display.name(), scale), 0) << "a second time, with what the first one left";
        expectSanePanes();
    }
}

INSTANTIATE_TEST_SUITE_P(Screens, RestartOn,
                         testing::Values(Screen{1, true}, Screen{1, false}, Screen{2, true}, Screen{2, false}));

TEST_F(Restart, theWholeWindowOfAFirstStartIsOnAScreenOfItsSize) {
    const Display display({1280, 800}, true);
    if (display.name().size() < 2 || !display.isManaged()) GTEST_SKIP() << "there is no Xvfb or no openbox here";
    ASSERT_EQ(start(display.name(), 1), 0);
    // What QWidget::saveGeometry() writes first: a mark, a version of two parts, the window with its frame.
    const QByteArray geometry = settings()->value(QStringLiteral("window/geometry")).toByteArray();
    QDataStream stream(geometry);
    quint32 mark = 0;
    quint16 major = 0;
    quint16 minor = 0;
    QRect frame;
    stream >> mark >> major >> minor >> frame;
    ASSERT_EQ(stream.status(), QDataStream::Ok);
    EXPECT_TRUE(QRect(0, 0, 1280, 800).contains(frame))
        << frame.x() << ' ' << frame.y() << ' ' << frame.width() << ' ' << frame.height();
    EXPECT_GT(frame.width(), 1000);
    EXPECT_GT(frame.height(), 700);
}

class RestartAt : public Restart, public testing::WithParamInterface<double> {};

TEST_P(RestartAt, everyKindOfDocumentComesUpInFront) {
    QVector<Kind> kinds(std::begin(kKinds), std::end(kKinds));
    std::size_t at = 0;
    for (const Kind& front : kKinds) {
        const Size size = kSizes[at++ % std::size(kSizes)];
        SCOPED_TRACE(testing::Message() << front.kind << ' ' << front.key << " in " << size.width << " x "
                                        << size.height);
        ASSERT_NO_FATAL_FAILURE(putSession());
        putDocuments(kinds);
        QWidget window;
        window.resize(size.width, size.height);
        settings()->setValue(QStringLiteral("window/geometry"), window.saveGeometry());
        ASSERT_EQ(start({}, GetParam()), 0);
        expectSanePanes();
        std::rotate(kinds.begin(), kinds.begin() + 1, kinds.end());  // the first tab is in front
    }
}

INSTANTIATE_TEST_SUITE_P(Scales, RestartAt, testing::Values(1.0, 2.0));

TEST_F(Restart, afterAStartThatDidNotGetThroughTheNextOneIsPlainAndKeepsTheSettings) {
    ASSERT_NO_FATAL_FAILURE(putSession());
    settings()->setValue(QStringLiteral("session/restoring"), true);
    const QVariant documents = settings()->value(QStringLiteral("session/documents"));
    ASSERT_EQ(start({}, 1), 0);
    const QStringList kept = QDir(folder_.filePath(QStringLiteral("config/tessera")))
                                 .entryList({QStringLiteral("tessera-studio.conf.2*")}, QDir::Files);
    ASSERT_EQ(kept.size(), 1);
    const QSettings aside(folder_.filePath(QStringLiteral("config/tessera/") + kept.front()), QSettings::IniFormat);
    EXPECT_EQ(aside.value(QStringLiteral("session/documents")), documents);
    EXPECT_TRUE(settings()
                    ->value(QStringLiteral("session/documents"))
                    .toString()
                    .contains(QStringLiteral(R"("tabs":[{"key":"","kind":"welcome","view":{}}])")))
        << settings()->value(QStringLiteral("session/documents")).toString().toStdString();
    EXPECT_EQ(settings()->value(QStringLiteral("theme/mode")), QVariant(QStringLiteral("dark")))
        << "what is no layout stays";
    ASSERT_EQ(start({}, 1), 0);
    EXPECT_EQ(QDir(folder_.filePath(QStringLiteral("config/tessera")))
                  .entryList({QStringLiteral("tessera-studio.conf.2*")}, QDir::Files)
                  .size(),
              1)
        << "the start after that is an ordinary one";
}

TEST_F(Restart, aStudioThatIsKilledWhileItRestoresIsKnownByTheNextStart) {
    ASSERT_NO_FATAL_FAILURE(putSession());
    QProcess studio;
    begin(studio, {}, 1, {});
    ASSERT_TRUE(
        QTest::qWaitFor([&] { return settings()->value(QStringLiteral("session/restoring")).toBool(); }, kLong));
    studio.kill();
    ASSERT_TRUE(studio.waitForFinished(kLong));
    EXPECT_TRUE(settings()->value(QStringLiteral("session/restoring")).toBool());
}

}  // namespace
}  // namespace tessera::ui
