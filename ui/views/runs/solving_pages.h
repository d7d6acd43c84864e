#pragma once

#include <QStackedWidget>
#include <QString>
#include <QTimer>
#include <atomic>
#include <filesystem>
#include <memory>
#include <stop_token>
#include <utility>

#include "core/store/store.h"
#include "core/study/study.h"
#include "ui/models/background.h"

class QLabel;
class QProgressBar;
class QPushButton;

namespace tessera::ui {

class EmptyState;

/// A page for which a study is solved many times: a hint with a button before, progress with Cancel meanwhile. The work
/// is done off the UI thread.
class SolvingPages : public QStackedWidget {
    Q_OBJECT

public:
    struct Texts {
        QString progress;  ///< such as "%1 of %2 variations are solved"
        QString bar;       ///< what the bar shows, for who cannot see it
        QString again;     ///< on the button after a failure
    };

    /// `found` shows what was found, with its notes below.
    explicit SolvingPages(Texts texts, QWidget* found, QWidget* parent = nullptr);
    ~SolvingPages() override;  ///< gives up what it works on

    /// Shows a sentence and, where it is not empty, a button that emits `requested`.
    void say(const QString& sentence, const QString& button);
    void showWorking();
    void showFound(const QString& notes);

    bool isWorking() const { return work_ != nullptr; }
    /// Calls solve(context) off the UI thread and found(result) on it. `kept` is the run's number in the history at
    /// `history`, where the study's inputs are read; 0 = not kept.
    template <typename Solve, typename Found>
    void work(const std::filesystem::path& history, store::RunId kept, Solve solve, Found found);
    /// False where nothing was worked on.
    bool giveUp();

signals:
    void requested();
    void cancelRequested();

private:
    /// State shared by the thread that solves and the pages.
    struct Work {
        std::stop_source cancel;
        std::atomic<double> done = 0, total = 0;
    };
    /// The pool has a thread more while one is busy for long, so that quick work does not wait for it.
    struct OutsideThreadPool {
        OutsideThreadPool();
        ~OutsideThreadPool();
        OutsideThreadPool(const OutsideThreadPool&) = delete;
        OutsideThreadPool& operator=(const OutsideThreadPool&) = delete;
    };
    QWidget* workingPage();
    QWidget* foundPage(QWidget* found);
    std::shared_ptr<Work> begin();
    void end();
    static study::RunContext contextOf(const std::shared_ptr<Work>& work, const std::filesystem::path& history,
                                       store::RunId kept);
    void showProgress();

    Texts texts_;
    std::shared_ptr<Work> work_;  ///< shared with its thread; null = nothing is worked on
    QTimer drawing_;
    EmptyState* hint_;
    QPushButton* ask_;
    QLabel* task_;
    QProgressBar* bar_;
    QLabel* notes_;
};

template <typename Solve, typename Found>
void SolvingPages::work(const std::filesystem::path& history, store::RunId kept, Solve solve, Found found) {
    const std::shared_ptr<Work> work = begin();
    inBackground(
        this,
        [work, history, kept, solve = std::move(solve)] {
            const OutsideThreadPool another;
            return solve(contextOf(work, history, kept));
        },
        [this, work, found = std::move(found)](auto result) {
            if (work != work_) return;
            end();
            found(std::move(result));
        },
        [this, work](const QString& problem) {
            if (work != work_) return;
            end();
            say(problem, texts_.again);
        });
}

}  // namespace tessera::ui
