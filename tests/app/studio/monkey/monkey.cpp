// Random actions on the real window: what a person could do, in an order that nobody would think of.
//
//   test_app_studio_monkey [ACTIONS [SEED]]      TESSERA_MONKEY_SAYS=1 prints every action
//
// Fails on a signal, on an exception that comes out of an event, on a critical message of Qt, where the window does not
// answer for a minute, where the history is damaged at the end, and where anything of the bundled data was changed. The
// same seed draws the same actions as long as the window shows the same; when engines and drawings are through is
// theirs.
#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAbstractSpinBox>
#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QDesktopServices>
#include <QDialog>
#include <QDir>
#include <QDrag>
#include <QDropEvent>
#include <QElapsedTimer>
#include <QFile>
#include <QFileDialog>
#include <QInputDialog>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QMessageBox>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QPointer>
#include <QSettings>
#include <QTabBar>
#include <QTest>
#include <QTimer>
#include <QUrl>
#include <QWindow>
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/base/random.h"
#include "core/store/store.h"
#include "core/study/study.h"
#include "tests/app/studio/monkey/trace.h"
#include "tests/support/controls.h"
#include "tests/support/dialogs.h"
#include "tests/support/gestures.h"
#include "tests/support/paths.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/work.h"
#include "ui/jobs/jobs.h"
#include "ui/theme/theme.h"
#include "ui/views/document.h"
#include "ui/workspace/command_palette.h"
#include "ui/workspace/history/history.h"
#include "ui/workspace/window/main_window.h"

namespace tessera::ui {
namespace {

namespace fs = std::filesystem;
using namespace Qt::StringLiterals;

/// Another theme styles all widgets of all documents anew, which a sanitizer makes long.
constexpr double kHangSeconds = 60 * (test::kSanitized ? 5 : 1);
constexpr qint64 kBlockedMilliseconds = 300;  ///< an action that takes longer waits for an answer
constexpr qint64 kRunMilliseconds = 8000;     ///< after which a run is cancelled: small ones are what is wanted
constexpr int kMostDocuments = 14, kMostRuns = 4;

/// What a person types, and what nobody should.
const QStringList& texts() {
    static const QStringList kTexts{u"8"_s,
                                    u"1"_s,
                                    u"0"_s,
                                    u"-1"_s,
                                    u"2.5"_s,
                                    u"16 GB/s"_s,
                                    u"180 TFLOPS"_s,
                                    u"32 KiB"_s,
                                    u"90 %"_s,
                                    u"1e308"_s,
                                    u"banana"_s,
                                    u""_s,
                                    u" "_s,
                                    u"nan"_s,
                                    u"inf"_s,
                                    u"999999999999999999999"_s,
                                    u"resnet"_s,
                                    u"bert"_s,
                                    u"a100"_s,
                                    u"h100, a100"_s,
                                    u"1..8"_s,
                                    u"zoo:lenet5"_s,
                                    u"run"_s,
                                    u"step_time_s"_s,
                                    u"<b>bold</b>"_s,
                                    u"%1 %n"_s,
                                    u"größer 加速器 🙂"_s,
                                    u"\u202Eright to left"_s,
                                    u"a\nb\tc"_s,
                                    u"../../x"_s,
                                    u"'; drop table run; --"_s,
                                    QString(5000, u'x')};
    return kTexts;
}

constexpr Qt::Key kKeys[]{Qt::Key_Up,       Qt::Key_Down,      Qt::Key_Left,   Qt::Key_Right, Qt::Key_Tab,
                          Qt::Key_Backtab,  Qt::Key_Return,    Qt::Key_Escape, Qt::Key_Home,  Qt::Key_End,
                          Qt::Key_PageDown, Qt::Key_PageUp,    Qt::Key_Delete, Qt::Key_Space, Qt::Key_F2,
                          Qt::Key_F6,       Qt::Key_Plus,      Qt::Key_Minus,  Qt::Key_F,     Qt::Key_A,
                          Qt::Key_Z,        Qt::Key_Backspace, Qt::Key_F10,    Qt::Key_Menu};

/// The program's application object, but one that does not forgive: the window tells of an exception and goes on.
class Application : public QApplication {
public:
    using QApplication::QApplication;
    bool notify(QObject* receiver, QEvent* event) override {
        try {
            return QApplication::notify(receiver, event);
        } catch (const std::exception& error) {
            monkey::fail("an exception came out of " + std::string(receiver->metaObject()->className()) + "'s event " +
                         std::to_string(event->type()) + ": " + error.what());
        }
    }
};

std::map<QString, int>& warnings() {
    static std::map<QString, int> all;
    return all;
}

void onMessage(QtMsgType type, const QMessageLogContext& /*context*/, const QString& message) {
    if (type == QtCriticalMsg || type == QtFatalMsg) monkey::fail("Qt says: " + message.toStdString());
    if (type == QtWarningMsg && QThread::currentThread() == qApp->thread()) ++warnings()[message.left(160)];
}

/// Nothing of this program opens a browser; if it did, it would be here.
class NoBrowser : public QObject {
    Q_OBJECT
public slots:
    static void open(const QUrl& url) { monkey::fail("the window opens " + url.toString().toStdString()); }
};

/// Sizes and times of all files below a folder.
std::map<std::string, std::pair<std::uintmax_t, fs::file_time_type>> filesOf(const fs::path& folder) {
    std::map<std::string, std::pair<std::uintmax_t, fs::file_time_type>> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
        if (entry.is_regular_file()) files[entry.path()] = {entry.file_size(), entry.last_write_time()};
    return files;
}

class Monkey {
public:
    Monkey(const fs::path& folder, std::uint64_t seed)
        : folder_(QString::fromStdString(folder.string())), random_(seed, 0), answers_(seed, 1) {
        putFiles();
        // Where an action waits for an answer, somebody has to give one.
        answerer_.setInterval(50);
        QObject::connect(&answerer_, &QTimer::timeout, &answerer_, [this] {
            if (!acting_ || sinceAction_.elapsed() < kBlockedMilliseconds * (1 + unanswered_)) return;
            ++unanswered_;
            // Not from within the timer's own event: an answer may open a dialog that waits for the next one.
            QTimer::singleShot(0, &answerer_, [this] {
                if (acting_) unblock();
            });
        });
        answerer_.start();
        openWindow();
    }

    /// One action, and mostly some turns of the event loop after it.
    void step() {
        if (!window_->isVisible()) reopen("the window was closed");
        keepSmall();
        run(draw());
        if (!isOneOf(4)) return;  // the next one comes within the same turn
        settle(static_cast<int>(random_.below(isOneOf(12) ? 300 : 12)));
    }

    /// Ends as a person would, and looks at what is left.
    void end() {
        note(u"the end"_s);
        widgets_ = static_cast<int>(QApplication::allWidgets().size());
        window_.reset();
        monkey::alive();
        const auto problems = store::Store::open(history().toStdString()).verify().problems;
        if (!problems.empty()) monkey::fail("the history is damaged: " + problems.front());
    }

    void tell() const {
        for (const auto& [name, count] : counts_) std::printf("  %6d  %s\n", count, name.c_str());
        std::printf("  %6d  questions and dialogs answered\n", answered_);
        std::printf("  %6d  widgets at the end\n", widgets_);
        std::printf("  %6.0f  ms for the slowest action: %s\n", slowest_, slowestAction_.c_str());
        for (const auto& [message, count] : warnings())
            std::printf("  %6d  × Qt warns: %s\n", count, message.toStdString().c_str());
    }

private:
    struct Act {
        const char* name;
        int weight;
        void (Monkey::*act)();
        bool byHand = false;  ///< through the window that is in front, and so possible while a dialog waits
    };
    static constexpr std::size_t kActs = 23;
    static const std::array<Act, kActs> kTable;

    // Draws.
    bool isOneOf(std::uint64_t count) { return random_.below(count) == 0; }
    template <typename List>
    static auto& oneOf(RandomStream& random, List& list) {
        return list[static_cast<typename std::remove_reference_t<decltype(list)>::size_type>(
            random.below(static_cast<std::uint64_t>(std::size(list))))];
    }
    template <typename Item, std::size_t size>
    static const Item& oneOf(RandomStream& random, const Item (&list)[size]) {
        return list[random.below(size)];
    }
    int between(int least, int most) {
        return least + static_cast<int>(random_.below(static_cast<std::uint64_t>(most - least + 1)));
    }

    const Act& draw() {
        int all = 0;
        for (const Act& act : kTable) all += act.weight;
        auto at = static_cast<int>(random_.below(static_cast<std::uint64_t>(all)));
        for (const Act& act : kTable)
            if ((at -= act.weight) < 0) return act;
        return kTable.front();
    }

    void run(const Act& act) {
        ++counts_[act.name];
        current_ = act.name;
        last_ = act.name;
        QElapsedTimer clock;
        clock.start();
        sinceAction_.start();
        unanswered_ = 0;
        acting_ = true;
        try {
            // A window that waits for an answer takes nothing else.
            QWidget* modal = QApplication::activeModalWidget();
            if (QWidget* popup = QApplication::activePopupWidget(); popup != nullptr && !act.byHand)
                popup->close();
            else if (modal != nullptr && (!act.byHand || qobject_cast<QFileDialog*>(modal) != nullptr || isOneOf(2)))
                answer(*modal);
            else
                (this->*act.act)();
        } catch (const std::exception& error) {
            monkey::fail(std::string("an exception came out of an action: ") + error.what());
        }
        acting_ = false;
        const auto took = static_cast<double>(clock.elapsed());
        if (took > slowest_) {
            slowest_ = took;
            slowestAction_ = last_;
        }
    }

    void note(const QString& action) {
        last_ = (QLatin1String(current_) + u": "_s + action).simplified().left(200).toStdString();
        monkey::note(last_);
        static const bool says = qEnvironmentVariableIsSet("TESSERA_MONKEY_SAYS");
        if (says) std::fprintf(stderr, "%s\n", last_.c_str());
    }

    static void settle(int milliseconds) {
        QElapsedTimer clock;
        clock.start();
        do QCoreApplication::processEvents(QEventLoop::AllEvents, 10);
        while (clock.elapsed() < milliseconds);
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    }

    // The window and its files.
    QString path(const QString& name) const { return folder_ + QLatin1Char('/') + name; }
    QString history() const { return path(u"history.db"_s); }

    void putFiles() {
        QDir().mkpath(path(u"in"_s));
        QDir().mkpath(path(u"out"_s));
        const auto copy = [this](const std::string& from, const QString& to) {
            QFile::copy(QString::fromStdString(test::sourcePath(from).string()), path(u"in/"_s + to));
        };
        copy("tests/data/models/lenet5.onnx", u"lenet5.onnx"_s);
        copy("tests/data/models/resnet18.onnx", u"resnet18.onnx"_s);
        copy("data/studies/resnet50-mixed-tpus.json", u"study.json"_s);
        const auto put = [this](const QString& name, const QByteArray& bytes) {
            QFile file(path(u"in/"_s + name));
            if (file.open(QIODevice::WriteOnly)) file.write(bytes);
        };
        put(u"layers.csv"_s, "K,C,Y,X,R,S,T\n" + QByteArray("64,64,56,56,3,3,1\n").repeated(50));
        put(u"empty.onnx"_s, "");
        put(u"broken.json"_s, R"({"schema": "tessera.study/1", "engine": )");
        QFile whole(path(u"in/lenet5.onnx"_s));
        if (whole.open(QIODevice::ReadOnly)) put(u"cut.onnx"_s, whole.readAll().left(5000));
        put(u"noise.db"_s, QByteArray("\x01\x02\xff noise ").repeated(100));
    }
    QString someFile(RandomStream& random) const {
        static const QStringList kNames{u"lenet5.onnx"_s, u"resnet18.onnx"_s, u"study.json"_s,
                                        u"layers.csv"_s,  u"empty.onnx"_s,    u"broken.json"_s,
                                        u"cut.onnx"_s,    u"noise.db"_s,      u"missing.onnx"_s};
        return path(u"in/"_s + oneOf(random, kNames));
    }

    void openWindow() {
        window_ = std::make_unique<MainWindow>(MainWindow::Options{.history = history().toStdString()});
        window_->show();
    }
    void reopen(const char* why) {
        note(QLatin1String(why));
        window_.reset();
        monkey::alive();
        // Some starts have more time than others before the next action comes.
        openWindow();
        settle(between(0, 300));
    }

    /// Few documents and short runs: what is looked for is not how much the window holds.
    void keepSmall() {
        JobQueue& jobs = window_->jobs();
        if (jobs.working() == 0) sinceRun_.invalidate();
        if (jobs.working() > 0 && !sinceRun_.isValid()) sinceRun_.start();
        if (jobs.working() > kMostRuns || (sinceRun_.isValid() && sinceRun_.elapsed() > kRunMilliseconds)) {
            for (const int job : jobs.jobs()) jobs.cancel(job);
            sinceRun_.invalidate();
        }
        if (window_->findChildren<Document*>().size() > kMostDocuments)
            if (QAction* close = window_->actionNamed(u"close-tab"_s); QApplication::activeModalWidget() == nullptr)
                close->trigger();
    }

    // What is on the screen.
    /// The window that takes what a person does: a dialog that waits, else the window or a pane beside it.
    QWidget* front() {
        if (QWidget* popup = QApplication::activePopupWidget()) return popup;
        if (QWidget* modal = QApplication::activeModalWidget()) return modal;
        if (isOneOf(8)) {
            QWidgetList shown;
            for (QWidget* each : QApplication::topLevelWidgets())
                if (each->isVisible() && each->windowHandle() != nullptr) shown.append(each);
            if (!shown.isEmpty()) return oneOf(random_, shown);
        }
        return window_.get();
    }
    template <typename Kind>
    Kind* some(QWidget& root, const std::function<bool(const Kind&)>& fits = {}) {
        QList<Kind*> found;
        for (Kind* each : root.findChildren<Kind*>())
            if (each->isVisible() && each->isEnabled() && each->window() == &root && !each->visibleRegion().isEmpty() &&
                (!fits || fits(*each)))
                found.append(each);
        return found.isEmpty() ? nullptr : oneOf(random_, found);
    }
    static QString name(const QWidget& widget) { return test::nameOf(widget); }

    /// A place within what can be seen of a widget.
    QPoint placeIn(const QWidget& widget) {
        const QRect seen = widget.visibleRegion().boundingRect();
        return {between(seen.left(), std::max(seen.left(), seen.right())),
                between(seen.top(), std::max(seen.top(), seen.bottom()))};
    }
    Qt::KeyboardModifiers someModifier() {
        constexpr Qt::KeyboardModifier kSome[]{Qt::NoModifier, Qt::NoModifier,      Qt::NoModifier,
                                               Qt::NoModifier, Qt::ControlModifier, Qt::ShiftModifier};
        return oneOf(random_, kSome);
    }
    /// As by the mouse: through the window, which knows what lies where and what waits for an answer.
    void click(QWidget& widget, QPoint at) {
        QWindow* handle = widget.window()->windowHandle();
        if (handle == nullptr) return;
        const QPoint place = widget.mapTo(widget.window(), at);
        const Qt::KeyboardModifiers modifiers = someModifier();
        switch (between(0, 9)) {
            case 0:
                note(u"double-clicks "_s + name(widget));
                QTest::mouseDClick(handle, Qt::LeftButton, modifiers, place);
                break;
            case 1: {
                note(u"right-clicks "_s + name(widget));
                QPointer<QWidget> alive = &widget;
                QTest::mouseClick(handle, Qt::RightButton, modifiers, place);
                if (!alive) break;
                QContextMenuEvent event(QContextMenuEvent::Mouse, at, widget.mapToGlobal(at));
                QCoreApplication::sendEvent(&widget, &event);
                break;
            }
            default:
                note(u"clicks "_s + name(widget));
                QTest::mouseClick(handle, Qt::LeftButton, modifiers, place);
        }
    }

    // Answers to what waits.
    void answer(QWidget& modal) {
        ++answered_;
        if (auto* files = qobject_cast<QFileDialog*>(&modal)) {
            if (answers_.below(5) < 2) {
                note(u"leaves "_s + modal.windowTitle());
                files->reject();
                return;
            }
            const QString file = files->acceptMode() == QFileDialog::AcceptSave
                                     ? path(oneOf(answers_, kSaved).arg(answers_.below(4)))
                                     : someFile(answers_);
            note(u"chooses %1 in %2"_s.arg(file, modal.windowTitle()));
            test::chooseFile(*files, file);
            return;
        }
        if (auto* field = modal.findChild<QLineEdit*>(); field != nullptr && answers_.below(2) == 0) {
            note(u"types into "_s + modal.windowTitle());
            field->setText(oneOf(answers_, texts()));
        }
        QList<QAbstractButton*> buttons;
        for (auto* each : modal.findChildren<QAbstractButton*>())
            if (each->isVisible() && each->isEnabled()) buttons.append(each);
        if (!buttons.isEmpty() && answers_.below(4) != 0) {
            QAbstractButton* button = oneOf(answers_, buttons);
            note(u"answers %1 in %2"_s.arg(button->text(), modal.windowTitle()));
            button->click();
            return;
        }
        note(u"leaves "_s + modal.windowTitle());
        if (auto* dialog = qobject_cast<QDialog*>(&modal))
            dialog->reject();
        else
            modal.close();
    }
    /// Out of whatever an action waits in: a menu, a dialog, something that is dragged.
    void unblock() {
        QWidget* popup = QApplication::activePopupWidget();
        QWidget* modal = QApplication::activeModalWidget();
        if (auto* menu = qobject_cast<QMenu*>(popup); menu != nullptr && unanswered_ < 4) {
            QList<QAction*> rows;
            for (QAction* each : menu->actions())
                if (each->isEnabled() && !each->isSeparator()) rows.append(each);
            if (rows.isEmpty() || answers_.below(3) == 0) {
                menu->close();
                return;
            }
            menu->setActiveAction(oneOf(answers_, rows));
            note(u"chooses %1"_s.arg(menu->activeAction() != nullptr ? menu->activeAction()->text() : QString()));
            QTest::keyClick(menu, Qt::Key_Return);
        } else if (popup != nullptr) {
            popup->close();
        } else if (modal != nullptr && unanswered_ < 6) {
            answer(*modal);
        } else if (auto* dialog = qobject_cast<QDialog*>(modal)) {
            dialog->reject();
        } else {
            QDrag::cancel();
        }
    }

    // The actions.
    void actionOfTheWindow() {
        QList<QAction*> all;
        for (QAction* each : window_->findChildren<QAction*>(QString(), Qt::FindDirectChildrenOnly))
            if (each->isEnabled() && !each->objectName().isEmpty()) all.append(each);
        if (Document* document = window_->currentDocument())  // none before the session is back
            for (QAction* each : document->documentActions())
                if (each->isEnabled()) all.append(each);
        QAction* action = oneOf(random_, all);
        note(action->text());
        action->trigger();
    }
    void menu() {
        QList<QAction*> rows = window_->menuBar()->actions();
        QString way;
        while (!rows.isEmpty()) {
            QAction* row = oneOf(random_, rows);
            way += u"/"_s + row->text();
            if (row->menu() == nullptr) {
                note(way);
                if (row->isEnabled() && !row->isSeparator()) row->trigger();
                return;
            }
            emit row->menu()->aboutToShow();
            rows = row->menu()->actions();
        }
    }
    void shortcut() {
        QList<QKeySequence> all;
        for (const QAction* each : window_->findChildren<QAction*>())
            if (!each->shortcut().isEmpty()) all.append(each->shortcut());
        if (all.isEmpty()) return;
        const QKeySequence keys = oneOf(random_, all);
        note(keys.toString());
        for (int i = 0; i < keys.count(); ++i)
            key(keys[static_cast<unsigned>(i)].key(), keys[static_cast<unsigned>(i)].keyboardModifiers());
    }
    void palette() {
        QAction* open = window_->actionNamed(u"palette"_s);
        const QString typed = oneOf(random_, texts()).left(12);
        note(typed);
        open->trigger();
        auto* box = window_->findChild<CommandPalette*>();
        if (box == nullptr) return;
        box->field()->setText(isOneOf(3) ? QString() : typed);
        settle(between(0, 20));
        for (int down = between(0, 6); down > 0; --down) key(Qt::Key_Down);
        key(isOneOf(5) ? Qt::Key_Escape : Qt::Key_Return);
    }
    void key(Qt::Key key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
        // Down and up; what lies between may close the window, for which `QTest::keyClick` does not look at every key.
        const QPointer<QWindow> handle = front()->windowHandle();
        const char letter = QTest::keyToAscii(key);
        const QString text = letter == 0 ? QString() : QString(QLatin1Char(letter));
        for (const bool isDown : {true, false})
            if (handle) QTest::simulateEvent(handle, isDown, key, modifiers, text, false);
    }
    void anyWidget() {
        QWidget* root = front();
        if (auto* widget = some<QWidget>(*root)) click(*widget, placeIn(*widget));
    }
    void button() {
        if (auto* widget = some<QAbstractButton>(*front())) click(*widget, widget->rect().center());
    }
    void tab() {
        auto* bar = some<QTabBar>(*front());
        if (bar == nullptr || bar->count() == 0) return;
        click(*bar, bar->tabRect(between(0, bar->count() - 1)).center());
    }
    void item() {
        auto* view = some<QAbstractItemView>(*front());
        if (view == nullptr || view->model() == nullptr) return;
        const QModelIndex index =
            view->indexAt(QPoint(between(0, view->viewport()->width()), between(0, view->viewport()->height())));
        if (index.isValid()) click(*view->viewport(), view->visualRect(index).center());
    }
    void combo() {
        auto* box = some<QComboBox>(*front());
        if (box == nullptr || box->count() == 0) return;
        note(name(*box));
        const int index = between(0, box->count() - 1);
        box->setCurrentIndex(index);
        emit box->activated(index);
    }
    void typing() {
        QWidget* root = front();
        if (!isOneOf(3)) {
            QWidget* field = isOneOf(6)
                                 ? some<QWidget>(*root,
                                                 [](const QWidget& each) {
                                                     return qobject_cast<const QPlainTextEdit*>(&each) != nullptr ||
                                                            qobject_cast<const QAbstractSpinBox*>(&each) != nullptr;
                                                 })
                                 : static_cast<QWidget*>(some<QLineEdit>(*root));
            if (field == nullptr) return;
            field->setFocus();
            if (isOneOf(2)) key(Qt::Key_A, Qt::ControlModifier);
        }
        const QString text = oneOf(random_, texts());
        note(u"“%1” into %2"_s.arg(
            text.left(40), QApplication::focusWidget() != nullptr ? name(*QApplication::focusWidget()) : u"nothing"_s));
        QApplication::clipboard()->setText(text);
        key(Qt::Key_V, Qt::ControlModifier);
        if (!isOneOf(3)) key(isOneOf(2) ? Qt::Key_Return : Qt::Key_Tab);
    }
    void keys() {
        const Qt::Key pressed = oneOf(random_, kKeys);
        const Qt::KeyboardModifiers modifiers = someModifier();
        const int times = isOneOf(4) ? between(2, 12) : 1;
        note(u"%1 × %2"_s.arg(QKeySequence(static_cast<int>(modifiers) | pressed).toString()).arg(times));
        for (int i = 0; i < times; ++i) key(pressed, modifiers);
    }
    void drag() {
        QWidget* root = front();
        auto* widget = some<QWidget>(*root);
        QPointer<QWindow> handle = root->windowHandle();
        if (widget == nullptr || handle == nullptr) return;
        const QPoint from = widget->mapTo(root, placeIn(*widget));
        note(name(*widget));
        QTest::mousePress(handle, Qt::LeftButton, someModifier(), from);
        QPoint at = from;
        for (int moves = between(1, 6); moves > 0 && handle; --moves) {
            at += QPoint(between(-120, 120), between(-80, 80));
            QTest::mouseMove(handle, at);
            if (isOneOf(10)) key(Qt::Key_Escape);
        }
        if (handle) QTest::mouseRelease(handle, Qt::LeftButton, {}, at);
    }
    void hover() {
        QWidget* root = front();
        auto* widget = some<QWidget>(*root);
        if (widget == nullptr || root->windowHandle() == nullptr) return;
        note(name(*widget));
        QTest::mouseMove(root->windowHandle(), widget->mapTo(root, placeIn(*widget)));
    }
    void wheel() {
        auto* widget = some<QWidget>(*front());
        if (widget == nullptr) return;
        note(name(*widget));
        for (int turns = between(1, 5); turns > 0; --turns) test::wheel(*widget, placeIn(*widget), isOneOf(2) ? 1 : -1);
    }
    void resize() {
        const int kind = between(0, 11);
        if (kind == 0) {
            note(u"maximises"_s);
            window_->showMaximized();
        } else if (kind == 1) {
            note(u"minimises and back"_s);
            window_->showMinimized();
            settle(between(0, 20));
            window_->showNormal();
        } else if (kind == 2) {
            note(u"moves"_s);
            window_->move(between(-400, 3000), between(-400, 2000));
        } else {
            const QSize size(between(300, 2560), between(200, 1440));
            note(u"%1 × %2"_s.arg(size.width()).arg(size.height()));
            if (window_->isMaximized() || window_->isFullScreen()) window_->showNormal();
            window_->resize(size);
        }
    }
    void document() {
        static const std::vector<std::pair<const char*, const char*>> kDocuments{
            {"welcome", ""},
            {"history", ""},
            {"validation", ""},
            {"compare", "1,2"},
            {"compare", "2,3,4"},
            {"points", "1,2,3"},
            {"report", "1"},
            {"report", "2,3"},
            {"run", "run/1"},
            {"run", "run/2"},
            {"run", "run/999999"},
            {"model", "zoo:lenet5"},
            {"model", "zoo:resnet50"},
            {"model", "zoo:gpt3-175b"},
            {"hardware", "fleet/accpar-heterogeneous"},
            {"hardware", "fleet/dgx-h100x8"},
            {"hardware", "accelerator/a100"},
            {"hardware", "platform/s2"},
            {"hardware", "template/phaze"},
            {"hardware", "new/fleet"},
            {"nonsense", "x"},
        };
        const auto& [kind, key] = oneOf(random_, kDocuments);
        note(u"%1 %2"_s.arg(QLatin1String(kind), QLatin1String(key)));
        window_->open(QLatin1String(kind), QLatin1String(key));
    }
    void study() {
        const auto& [study, title] = oneOf(random_, studies_);
        note(QString::fromStdString(study));
        if (isOneOf(3))
            window_->runStudyNamed(QString::fromStdString(study));
        else
            window_->open(u"study"_s, QString::fromStdString(study));
    }
    void job() {
        JobQueue& jobs = window_->jobs();
        const QVector<int> all = jobs.jobs();
        if (all.isEmpty()) {
            QAction* run = window_->actionNamed(u"run"_s);
            note(u"run"_s);
            if (run->isEnabled()) run->trigger();
            return;
        }
        const int job = isOneOf(3) ? oneOf(random_, all) : all.front();
        const int what = between(0, 5);
        note(u"job %1, %2"_s.arg(job).arg(what));
        if (what == 0) jobs.pause(job);
        if (what == 1) jobs.unpause(job);
        if (what == 2) jobs.stop(job);
        if (what == 3) jobs.cancel(job);
        if (what == 4) window_->open(u"run"_s, u"job/%1"_s.arg(job));
        if (what == 5 && !isWorking(jobs.state(job).status)) jobs.forget(job);
    }
    void undo() {
        for (int times = between(1, 8); times > 0; --times) {
            QAction* action = window_->actionNamed(isOneOf(4) ? u"redo"_s : u"undo"_s);
            note(action->text());
            if (action->isEnabled()) action->trigger();
        }
    }
    void drop() {
        const QString file = someFile(random_);
        note(file);
        QMimeData data;
        data.setUrls({QUrl::fromLocalFile(file)});
        QDropEvent event(QPointF(between(0, 300), between(0, 200)), Qt::CopyAction, &data, Qt::LeftButton,
                         Qt::NoModifier);
        QApplication::sendEvent(window_.get(), &event);
    }
    /// By the keyboard, in the list of runs: chooses some and deletes them.
    void deleteRuns() {
        note(u"in the history"_s);
        window_->open(u"history"_s, {});
        settle(between(0, 60));
        auto* view = some<QAbstractItemView>(*window_, [this](const QAbstractItemView& each) {
            const Document* document = window_->currentDocument();
            return document != nullptr && document->isAncestorOf(&each);
        });
        if (view == nullptr) return;
        view->setFocus();
        key(Qt::Key_Down);
        for (int more = between(0, 4); more > 0; --more) key(Qt::Key_Down, Qt::ShiftModifier);
        key(Qt::Key_Delete);
        if (isOneOf(2)) key(Qt::Key_Z, Qt::ControlModifier);
    }
    void closeDocuments() {
        for (int times = isOneOf(5) ? 12 : 1; times > 0; --times) {
            if (window_->currentDocument() == nullptr) return;
            note(window_->currentDocument()->title());
            window_->actionNamed(u"close-tab"_s)->trigger();
            if (QApplication::activeModalWidget() != nullptr) return;
        }
    }
    void closeWindow() {
        note(u"closes"_s);
        window_->close();
        for (int tries = 0; tries < 6 && window_->isVisible(); ++tries) {
            settle(5);
            QWidget* modal = QApplication::activeModalWidget();
            if (modal == nullptr) break;
            answer(*modal);
        }
        if (!window_->isVisible()) reopen("opens again");
    }

    static inline const QStringList kSaved{u"out/a%1.json"_s, u"out/b%1.svg"_s, u"out/c%1"_s, u"missing/d%1.pdf"_s,
                                           u"out/e%1.db"_s};

    QString folder_;
    /// As they are at first: what is saved later need not be whole.
    const std::vector<std::pair<std::string, std::string>> studies_ = study::bundledStudies();
    RandomStream random_,
        answers_;  ///< answers to what waits have draws of their own: when they come is a matter of time
    std::unique_ptr<MainWindow> window_;
    QTimer answerer_;
    QElapsedTimer sinceAction_, sinceRun_;
    bool acting_ = false;
    int unanswered_ = 0, answered_ = 0, widgets_ = 0;
    const char* current_ = "";
    std::string last_, slowestAction_;
    double slowest_ = 0;
    std::map<std::string, int> counts_;
};

const std::array<Monkey::Act, Monkey::kActs> Monkey::kTable{{
    {"action", 10, &Monkey::actionOfTheWindow},
    {"menu", 8, &Monkey::menu},
    {"shortcut", 5, &Monkey::shortcut, true},
    {"palette", 3, &Monkey::palette},
    {"click", 14, &Monkey::anyWidget, true},
    {"button", 12, &Monkey::button, true},
    {"tab", 8, &Monkey::tab, true},
    {"item", 10, &Monkey::item, true},
    {"choice", 6, &Monkey::combo, true},
    {"typing", 10, &Monkey::typing, true},
    {"keys", 10, &Monkey::keys, true},
    {"drag", 8, &Monkey::drag, true},
    {"hover", 6, &Monkey::hover, true},
    {"wheel", 4, &Monkey::wheel, true},
    {"resize", 4, &Monkey::resize},
    {"document", 4, &Monkey::document},
    {"study", 3, &Monkey::study},
    {"job", 6, &Monkey::job},
    {"undo", 4, &Monkey::undo},
    {"drop", 2, &Monkey::drop},
    {"delete", 2, &Monkey::deleteRuns},
    {"close", 4, &Monkey::closeDocuments},
    {"window", 1, &Monkey::closeWindow},
}};

/// Everything that the program reads of a person lies in the scratch folder, and it works there.
void moveInto(const fs::path& folder) {
    for (const char* place :
         {"HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"}) {
        fs::create_directories(folder / place);
        fs::permissions(folder / place, fs::perms::owner_all);
        ::setenv(place, (folder / place).c_str(), 1);
    }
    if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
    fs::current_path(folder);
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, QString::fromStdString(folder.string()));
}

/// A whole number of at least 1.
std::uint64_t numberOf(const char* text, std::uint64_t otherwise) {
    if (text == nullptr) return otherwise;
    char* end = nullptr;
    const std::uint64_t number = std::strtoull(text, &end, 10);
    if (number > 0 && *end == '\0') return number;
    std::fprintf(
        stderr, "found \"%s\"; expected a whole number of at least 1: test_app_studio_monkey [ACTIONS [SEED]]\n", text);
    std::exit(2);
}

}  // namespace

int playMonkey(int argumentCount, char** arguments) {
    const std::uint64_t actions = numberOf(argumentCount > 1 ? arguments[1] : nullptr, 10'000);
    const std::uint64_t seed = numberOf(argumentCount > 2 ? arguments[2] : nullptr, 1);
    const test::ScratchFolder folder;
    moveInto(folder);
    qInstallMessageHandler(onMessage);
    Application application(argumentCount, arguments);
    QApplication::setOrganizationName(u"tessera"_s);
    QApplication::setApplicationName(u"tessera-monkey"_s);
    QApplication::setQuitOnLastWindowClosed(false);
    NoBrowser browser;
    for (const char* scheme : {"http", "https", "file", "mailto"})
        QDesktopServices::setUrlHandler(QLatin1String(scheme), &browser, "open");
    theme().apply(ThemeMode::light);
    const fs::path data = test::sourcePath("data");
    const auto before = filesOf(data);
    monkey::watch("test_app_studio_monkey " + std::to_string(actions) + " " + std::to_string(seed), kHangSeconds);
    QElapsedTimer clock;
    clock.start();
    Monkey monkey(folder, seed);
    for (std::uint64_t done = 0; done < actions; ++done) monkey.step();
    monkey.end();
    if (filesOf(data) != before) monkey::fail("bundled files were changed");
    monkey::unwatch();
    std::printf("%llu actions of seed %llu in %.0f s\n", static_cast<unsigned long long>(actions),
                static_cast<unsigned long long>(seed), 1e-3 * static_cast<double>(clock.elapsed()));
    monkey.tell();
    return 0;
}

}  // namespace tessera::ui

int main(int argumentCount, char** arguments) {
    return tessera::ui::playMonkey(argumentCount, arguments);
}

#include "monkey.moc"
