#pragma once

#include <QObject>
#include <QVector>
#include <filesystem>
#include <memory>
#include <optional>

#include "ui/jobs/run_state.h"
#include "ui/jobs/run_status.h"

namespace tessera::ui {

/// Runs of the history that a run takes its state, study or inputs from; 0 = none.
struct RunOrigin {
    store::RunId resume = 0;  ///< all of an interrupted run, and goes on with it
    store::RunId repeat = 0;  ///< study and inputs of a run
    store::RunId inputs = 0;  ///< the inputs alone
};

/// The queue of runs: the one bridge between engines' threads and Qt's signals. Runs start in order, one at a time,
/// since engines use all cores; events are gathered off the UI thread and reach it as one snapshot per job, 20 times
/// per second. The history knows of all that is waiting, working or paused, so that nothing is lost where the program
/// dies.
class JobQueue : public QObject {
    Q_OBJECT

public:
    /// Records into the history at `history`; an empty path records nothing.
    explicit JobQueue(const std::filesystem::path& history, QObject* parent = nullptr);
    /// Interrupts what works and what waits, so that it can be resumed, and waits for it.
    ~JobQueue() override;

    /// A study; with the inputs of a run of the history, where it names the same ones, whatever became of their files.
    int enqueue(const study::Study& study, const QString& title = {}, store::RunId inputsOf = 0);
    int resume(store::RunId run);  ///< continues an interrupted run from its checkpoint
    int repeat(store::RunId run);  ///< runs a stored study again, its inputs from the history where they changed

    void pause(int job);
    void unpause(int job);
    void stop(int job);                          ///< keep the best
    void cancel(int job);                        ///< discard
    void rename(int job, const QString& title);  ///< where the history gave its run another name

    RunState state(int job) const;
    QVector<int> jobs() const;  ///< newest first
    int working() const;        ///< queued, running or paused
    /// Results that stand in no history, because it is only read or could not be written, newest first: they go with
    /// the window, or when they are taken off the list.
    QVector<int> unkept() const;
    void forget(int job);  ///< takes a finished job off the list
    /// Sets the history of runs that start from now on. From one that is only read, runs can be repeated, but are not
    /// kept.
    void setHistory(const std::filesystem::path& history, bool isReadOnly = false);

signals:
    void added(int job);
    void changed(int job);   ///< at most 20 times per second
    void finished(int job);  ///< done, failed, cancelled or interrupted
    void removed(int job);
    void troubled(const QString& sentence);  ///< the history could not be written

private:
    int add(RunState state, const RunOrigin& origin);
    void startNext();
    void deliver();
    void conclude(int job);
    void keepPause(int job);

    struct Implementation;
    std::unique_ptr<Implementation> d_;
};

}  // namespace tessera::ui
