#pragma once

#include <QCoreApplication>
#include <QPointer>
#include <QThreadPool>
#include <functional>
#include <utility>

namespace tessera::ui {

/// Runs `work` on a thread of the pool and `answer` with its result on the UI thread, unless `context` is gone by then.
/// `work` must not throw.
template <typename Result>
void inBackground(QObject* context, std::function<Result()> work, std::function<void(Result)> answer) {
    const QPointer<QObject> guard(context);
    QThreadPool::globalInstance()->start([guard, work = std::move(work), answer = std::move(answer)] {
        Result result = work();
        // The guard is looked at on the UI thread, where its object lives.
        QMetaObject::invokeMethod(
            QCoreApplication::instance(),
            [guard, answer, result = std::move(result)]() mutable {
                if (guard) answer(std::move(result));
            },
            Qt::QueuedConnection);
    });
}

}  // namespace tessera::ui
